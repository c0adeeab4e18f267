#if Server
    import SystemLibrary

    /// A file that holds a secret.
    enum SecretFile {
        /// Returns whether every user of the machine may read a file. Returns false if the file's status is unknown.
        static func isWorldReadable(_ path: String) -> Bool {
            var status = stat()
            return unsafe stat(path, &status) == 0 && status.st_mode & S_IROTH != 0
        }
    }
#endif
