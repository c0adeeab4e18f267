// TEST KEYS. They are public and protect nothing. Never issue a certificate for them that any verifier
// trusts. They make forging fast and reproducible.

/// The keys of the default test authority.
enum TestKeys {
    /// The key that signs the intermediate.
    static let root = testKey(
        """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC1EwzNFnvR8WT3
        MYNdXP6FGZGSD+fXIk3iEWqt+13A1A6mvHTXjQ3TW54MfHxhLHt9ItSyWO5SIiVR
        k+YGx0mVem2YLt5Do7wMdKAojY+QTaOvTn8VLBtUryBlCLISm1kdYeuTkXH5mJRz
        0se6g2MZJp9kz1RTylslCwaPlvrGGEVHhVAaBwbIVUUBnleCpLxf6l/zGC7wf14p
        CJIuRMTJ3KzAVY3nM58GABufTEZEVbBa/P9Pwjy30mRdzcftLza3iBzJcI2PmPsS
        oJVtfSZgTSpWmA3x+Z6C9dCt0+/2arhKaIDo10KtbuDU3WYKUqZ0X2jRZxxRPx7P
        lV2X91XdAgMBAAECggEAEIthDAwV3CTWOM/JVOp+RuMDLflOEZYMz68PtD3XXxsB
        C7MEaf11We5xDmsBYk+SKOjZzkHZ5J9CEaYVymDDFGlPQixmGoAHWov9Zjco+uJd
        JlNhwSl6hc5Kg3C79H9FMS4VPDJ523hZeAu2PBBtKYsh3TAkYFOI6GWNf+knmJnP
        dNjP5wEbrAm0PXOiqOanQDJOOOMV9Lq2649nqXjoJF28EsltFhtk3WDM36pgnvhI
        y6J3Y3QEeQ/p7Zblp5/6pTKZcy/z/MGSDJexoP2wVFSAaNoAfvvKfutEpfV6EZIs
        JmOZX8vw3WKqd821yIcgYmGIv/hSSyjb4wVezFDG8QKBgQDzwy5QcDF2k/P/PO04
        N7lVtysGAWZzbuhuag56163ep2VpwRkQP7HdcFwELV0dFVKsiDmXKdErs4/nYQH6
        B5kzRHNoE0+Y7EiC1YJvlP1cifwkLtHcwqEgFoQJDE6lkqIwUe5xDENRDd+72Eot
        ZvJzxlmO00lTsgrTkawvL3ru9wKBgQC+KjTvmLCumFx4757RzYOXnehKPu8sjQS9
        M4FkbPee8MsJhAvCP68eETWGEVipNifKtbkwJXQ7uP/WiCIGZJNZ7fugHS/eYGIi
        eI3kfbkFF0OnW9QoQBeeSU/wR07onQ+Y4GAUKaWHiouPP5pV9Lystyzg8I+UJPgj
        vnSlh3ToywKBgQDVSAu3+dJtjBrLUoXE0IzrAK82O/dmPL5GDanJtfi9ff3vwDKr
        0u9Pb0YzqXV1QvjpWO/64W3RLPVWX7yZBhj3kIbhozPb+7GeOC4+b0AXvevNxOF+
        pRTRvKGeQRR3LouWd7mHVFF6FAeUljSg8RhmUECABUJ9ZqSuZSEg0AxiFQKBgGlC
        i5Kj/ghmpaj7WfnfvBtMeKvAMjuCw0DHJbQk7Nu5hWl7Adc/0Prfo7TWHTFsnJIE
        DMGtuazlNhfVup+3RCjfJgz2muyIhUl3WXNEdAlxWy1kEwdEks423lyt2+u+JEgG
        yqfedZWVBrMADbnOgjFIIztPbOofnIqMfZyyYfAJAoGAJXvLE/S9JUKD2hi0v4kO
        FPLFngDC8Sm+DaWdyfAYtkhxwicvqy+WhHrOBKwoQwAYNaSudyYLaylseHGRsWvt
        fjg3A0xwyv1nhG5WhQTyZ8VJvH95i3kGA9O29jaMmvpXIvogqHz6P2mVGgE4cLZd
        rs5TdOrQAfs2HAREPTltApE=
        -----END PRIVATE KEY-----
        """)

    /// The key that signs the leaf.
    static let intermediate = testKey(
        """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCsiBWU9WDwtTHJ
        T4/YO9ak9gFkjxVZHIc8xJ0etoGSbRbNcGWFR9nTA2SYhNdjIWqY9QokuFTr1dHG
        iHBTqQTB/SY3kc7l3i5XhtngwCzqkuoxyuFnLGJhc0ohRygfT9SggHBYdcYjQaUm
        Rkl+ePkdYtFKvfiEowjaNr9LFu49loJK0c2Dx5ygzIsVUKo8hez1NlotHkkC+FiA
        6VMAo9j99RqOYogE0SHawhNcw2HOCVqJA7cofZWf1vRyWWh1S4DJuBe3ld8gOlRR
        YETJ3ZoUQcCWagZ7L/YjxThq8p/cS3ICwZd6oQJ/PSV1dFWNZ0hNN3Y7DceKEyaD
        A28CrZTzAgMBAAECggEARD2RF7lUTfDFD+RVt0e3tsiMtXr4jSYBAZKcuLSkHEfk
        oH5H0Uchi1pItCC61n01nekxyWNVR3BriBSYJSbxeE8KCim0RWwzNTBjxgcM3P0d
        /3LI45eFFBlXJUFxR606Iv+aMArpQzGoQjLDx+/OTIa01FS+UqvviOvljqwzsAzM
        sObLKp6P2Tp9h/mazNG0d4z/1RdFTltimAkJlSKghpyOWM5XkBfazLoWyyhBN2np
        tZ44sTP7uSNBWTvj55/FjV1usJohUE16YrkCDJDBWaRemmfz7vfSOM2tu0IDJJ7u
        hslYJDmCVHZc418E8iW9s4G6905wtWyP1pGUUuO5SQKBgQDhqu4Uh2z4EqcKcIH9
        /p/m1EdrrWrsMHbzG4Le4ayHm5PtT6M0SaUUYz9kr3xDtl8DKGNmnmRgENq7ytNb
        d1z8ahawSvf/HRDZvC5y1V5jxpzqLuqoaBEO/7L5LTpUYP0iGwdxIFo2wNSLiUjh
        AYvvb+MNCM2Mp/HQTJtQ510OiwKBgQDDuMbywtRHz+R2NIkylJg+LqBvAk8xDj+N
        r5eXH+g8V1em2q/lrIgh3Wbn7OnEI/Mn2BYvqwNrKgN15TiuVyjMY0Zd44FjfehY
        TmZWfqxvXh/t4HKwNYBba1tl5C6TTaiOq3XWo1ep2suQnffAXM0IjPwELLOXUZ4N
        ifVPfKMIOQKBgGiV1FMVVG5ADsRq0gQKDsdm2FbR/zzJVUdkF6n+AvyyIMOZ5fRk
        sSoauRWLstaa3bvT6wVzIOfYx9bCsGOylRiyfiNkCz1jlhyi9w/nTSCGutBZwA0e
        ddFytdp/mInkjUxSJIfMS6MWiSrGDE2jbtwgCaVP0BuA9jPoXQ8IuvrzAoGAByP7
        pimzgvczt5hNFRpUv5gF5GbqKrkBWpL4bdwNJf5txTmfRzrXMJ0aPwXmtXA2U9LP
        ZGfR1RwQSkHVoo6tf19z1sMRGmcije42T5uJgPqnIY+Zv5IEH9G34OzFQjyIFMRu
        pSkKbrj7ykfpHQyFsnUqUKCs4K1qncXVvFOowwkCgYEAjzBLrwFuI++3XWp2/CA6
        /lNuKmI6PpB006CE6JizQaX8lAloU6M9hYod285TMcwqYGmYB+zNl4x5CVwpYejt
        SnK8xABRnkHc52Cfgag/dw+vDXeEY70EgOxNyKsXcgRnaIXb84dP7nz8b+rwMhv5
        89tC+E9F/2CAOKhDizDjy+M=
        -----END PRIVATE KEY-----
        """)

    /// The key that signs receipts.
    static let leaf = testKey(
        """
        -----BEGIN PRIVATE KEY-----
        MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQC1WtFuZTtIHyHC
        IyGwreSlz05VjNe1/VZ3IuZW0kVk/6gN3n6dcfe2yxtP8dVcuuyNSLOcy350epVb
        te/4PN8ZXVfkNJAOM/jbbZldu82ZjQqV1/qxCfDCYNAcrCKAqnNFMCfxS6L6gMLs
        IgkRRUa7YCL0bZLEnAD3S8wltHwnvhkj21JddA+V4CCWP0XSmH7nV0hKk4iuzSCN
        j3DdwtBfjyhiw0VS5Va+eksqZoyz29d4UW5H0RVgMqswSMe38ZVh+9qGVZpNp+DJ
        B5y1qLrdS6saYQNF1rxZMO7bkqgi969UuH7HDtXuD95ilB3foV0i1jksrtEsQOav
        PkW3cKonAgMBAAECggEAJQj0XvaGWi6dXr986E9Cs8e3iAn4nT4sk6zJXC6ZpEv/
        PkHTGoUFIMuueq94snSrzRhtMZZu7wt/h9iKNmf76Xqh8cT4LCZZ6jmiCb3J+VMP
        t9UA6XmNtKw/o7NVYnAslRMF/SVElaKI697xehjrHmW+Dat4vvTaz6WnfYWzmwvD
        plg5O5e3XwY8Z/2dbsa0btEK41/32w5xHE8aYZw07t660KIVBhRzXFTaHujINgsw
        SwReLzeznxLkCOoo4VE5dbAy3jaL20YKSwp7i/svU7qZuOroxfi88/Y8orrCDgwZ
        fXDzPaPrp6bAfhb9y0zONdB7zzVbJwZpfsXEsGQgEQKBgQDYCTsdAZH8xpp0n6B/
        NIrHV+MgK2JQXpYL9heFqkVEx2fRWAxpb9kiQD6QvyMPajxrjLsSFu2MyBnRJcqy
        zkO4DbmuXKUHs6LJ0/AIDnXPuPbF5NLm6cqxmHJPBZalN6y3qIuvHC56qhhgBuER
        N493/cxW4djahE2AkVE7B5cWdwKBgQDW5zFl9QrOq8ct7KdzriqTxXs4elcPdJTX
        xPD1ES6/HT5PKeoBGO6MVUuWFI7hVw/lwwrbBIrqnrmGbTB+JWeI+ed50wgmJi64
        dp8yXUsXKDwxQwwkR+U7kFZnRmH8r+W42vaeNdG/Ia56qPLB79YcOLe3ldfcHkGk
        R4siulEF0QKBgA6H0GoLCP6vfQQLGIh1yD/QMX6gbGRreDwluT9MTIxrvRffjDYr
        R7d+CrdBo+INizLQrGRzFlc5vkLK/+824GcoxSxtHsx90J0ynBpuno3yKub0lRri
        7rczQbz+6zsBm6ReucZ1ZsrpVepfjBPUYNn5QB0345YPAAd9vrDxub/RAoGAHmM0
        nfknXQ/3KyxChV4EUT7kbJkIBHx0q4oClHSoioelDuabWypeWOOau48OoRiBe/i3
        aT7cMc7d5v87kyrQ2BKWQ6iuh05w3s6PNjzw6EZdNI4JgnvUEzcWsKXIJ0XsEtaL
        dtWfYgpuNJP9N6UlPnpaqA/9JPf2Sjd/mhqEaHECgYBO1prnnmnWIi+5gSRrvEcN
        r5dB1zzdPRsLV2ZU6Svvy9j/UrTW2EUV4l+iv0CFFZ9xDbjQUnG9ty6EpsIdy9Gu
        0C5WcW9j+/tOk7nYBYMnvID1XlRj9XzSD7Q8/mMlv/ko8YAgidp1jYCLD3Ska4sM
        Ft2h3pCqc7RVFtgk+HAOrw==
        -----END PRIVATE KEY-----
        """)

    /// The key that signs receipts in place of Xcode's.
    static let storeKit = testKey(
        """
        -----BEGIN PRIVATE KEY-----
        MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQCvANccAkV+AuK2
        Mtw3vY/P5pX1SnGYtlbxuC5kAf9/tbr23p7bn6QJqoBLxlSh3rOLPmMVPPYAumGt
        CVZXk6656ojjha98vM3zD7q3+JpQ4kghSVS1Zhl8ioR9wDMumdEbaQOq1b1wpQ4q
        +LMZ+NgdX41B9CMswOi/ZF74u6NcVmV4i5pHrLNBuykJmgW7GzV5+Q56lke/r86q
        WNRpFeUD4C8aGMiCMRJH2oO7V9Woy967/adsDIfRPpB18LcGoMXPzMV0hB14xxYC
        +ZGEDYJkdWJAoJ6D2E5t21vp0bsiM7cMbwTy8mcl1rQhtgdiG4ZOJpOTassbfMZm
        uIM2hzWVAgMBAAECggEADIZoXuJQu/CT7ktclIa2LMCJmgkucSoXtewjMdgsw6Sr
        kXCkeP6HfIOd9A5pTz6DpiMcb1AyISI1zG8fJVx2BGtjSblvMmPG768AA5vA26oe
        VHeNnwAEMfQuAFwJrbuniiktcIQkr1O43F15YBH90bhdgUtqWxEhd1VFMNMpIXoU
        2z/vtdIAnRchpsNPrDFqIPCk4JpVvOa2dAxuTEcC2LwvewJGrbFIyDTILfRiAPAX
        cs4kFAPTZub/BNsvwKy6gra7EMPJxZKC9in2D9msj5Gl9wbxJE24p5zCYdsBAom6
        QzDpBKO7g/+8uMiGLprVSLoR0UrWzM6FTg/TsfHGAQKBgQD2KTcytQjLLW03GbyS
        PcDKxm1gLKnvm0d0glLfMPWE8GBgnfgw3va1hcTu8JEw9mDXpWbs+awZmEZYzCNN
        Y5P3s82+I5NZkdanM2zB6JmFtcgH4Kx9BPzeRyfyGM2CazoruIFQv3h7BzuKmoMj
        RHgLiEayWEncZYChP1TDqXR+lQKBgQC1/4UlMQPi46lnwA5wUunpxI8oFSZspptr
        D7cEw0HaNY3uPSg5HAoP1JU4E+hZCKWRuRdSRoA6HXC7GJzU+RENV3I6dNVyXp05
        6ilGYVBvHrcX6oGIxZIrOkyWgon5J+ltXmXtwFRWLheytbalLgnf7kVBu631QJi5
        d1b9e5UbAQKBgDIiyt9FB/l50xi54TJX6YBjUbuY3TO0CKWuNXrH2fmti7Oh+P7b
        KpxmFmokDS5PwAGr6n6xi1/bJ9jGGxqUAXsd3/WuAUDo9zMuwiPsX/hfwdH47Ki5
        71bGX1hrvM+nTz3AYnYzyTIlkvbz6WmxdFHE+8EvQjvlYIF3CKihRtzRAoGBAIsN
        3RQKfDapzXB43E9T+mbjCKIObtpK/apySlq4OSNZEcU6MvZXhxSLTyuWgkssgRxy
        9++j8Cr2/X/mEUXjuvSfoKYrSD5nLefnEnw0tDkCldAPG8N9eO3QUF4bBQI6TW6D
        1osuDQH/m5munwtbvq26pm3P0Nz26vmhxfRMrSMBAoGBAIULb7lJHikbabvug0AG
        /P8f8ArHoS/kTIMDnlULKeOeRDfHqXbce0wqZnx45J/4gkn2cywMda0JEEfADCg3
        22U8pcb6LGJiqmJRQFknDTpu9Rh/DIV5RM+LxmVKXmad+kKMEjYRJ32+S84rBQzU
        hwBdqB5sfrjHLM07a6w5WHW8
        -----END PRIVATE KEY-----
        """)
}

/// Reads a committed key. The result keeps the error for the caller that uses the key.
func testKey(_ pem: String) -> Result<PrivateKey, ForgeError> {
    Result { () throws(ForgeError) in try PrivateKey(pem: pem) }
}
