<?php

// For a web server with the default ffi.enable=preload, which allows FFI only in preloaded files. Set opcache.preload to this file,
// and ffi.preload to src/appreceipt.ffi.h.
array_map(fn (string $name) => require_once __DIR__ . "/src/$name.php", ['errors', 'objects', 'Verifier']);
