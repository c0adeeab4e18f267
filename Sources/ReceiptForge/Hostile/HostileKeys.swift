// TEST KEYS. They are public and protect nothing. Never issue a certificate for them that any verifier
// trusts. They make forging fast and reproducible.

/// The keys of hostile variants that the test authority does not have.
enum HostileKeys {
    /// The attacker's RSA key.
    static let attacker = testKey(
        """
        -----BEGIN PRIVATE KEY-----
        MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQC11s1gdwORehuS
        b9qg4jPNc67fbNJpzg4LZ3fFLdEho7W8qPXZ9z0mNBvxe28HSyiS3cAP9PqlxTMK
        Jeq4Ihtzlgt+Z4s4CH4WtWMZ4cgHczKKBrj/0CcMpTPEFDt0P6uQqyjLHQ4UzlSS
        G/Y7WH1nZ9mGNPa/21iq44rk+v8iskdAI0OIIbeYbLHfFFtiwfffckw5e2jZRkmF
        yaf1IRquT7WXyeu2CTD16gTzRW+gdZPO6JAalLOuB82W5JXUilrPPLM2Bi6HifNN
        +O4v2iThn38P81iOpTbsq0oCkhgeEY2U3wa4a/WSQHVh9+K7GiL+iNPX7MMFBrpK
        S9TO4rhFAgMBAAECggEADk62BFdQ8fnM4L80JrEDA5vM1bptrZK04wZTiPGjhnVS
        YnixNs1/46PkJ/e+7cYRjZ7CPYSDJ+xwfpBVsS0eglV7Ft7QTYrI2wIPfQpEGiah
        AnW9dC6ysoluyDM8VgJVfjxNaSU321YRwZj5d+7CQpLhWBs46AclqUqJPkjr2WpS
        HhK3Fp9RMzWM7wXTLxJevoPpVHhPzs9MmP+2SHrwfxhzdDn5f8fudFKq0JhaYMC+
        dsAbYyh1kWTJW0p7Y6hBEu/zGuijpsmFPlPUQxIJTDn6+YTrYLY0Geb9LoB3yXgt
        PngIHCL940w3x0SG7owKIQFp4AkPoNdnUHvSBdx/SQKBgQDkrkd0JDqS1axcMNil
        vPwn704M+Dv0KSVOvwHkmi/q/Y6KijVWCTEY9BIiPx6oM2/uc0Vz2inrgEEneSkm
        GfbfHO5Us+n8gJaFCJKC5rK/Cjx/J9t9cVtJRhMLqOf6BkgTyGSgdHq8snhQ8XDK
        iULL1RkXAuA9x1TN+IH1GWV1bQKBgQDLj/fPcI8RvK2R6Lo0KDikhDvnCGe/9fQn
        jdvq4UAht7t6KYnTRKRigxr0IOuKhstX5SJuZbM3MWUXfmuTw63LzmM8EMp6/ijG
        9z4Nk7btyTlYdQ7UaPCkbl7/li/lsNMTX5FJQpN8jRWF7EQMA/hpe50k51aMzNmH
        NtY/ZCT/OQKBgA+p5FkPNjfijOjPq7dGh5sQqC75PdoOi3CmYrHO4eNdtMrGhrq6
        7HMCHM/dtPLeexdBLAuwcNihs1TJ1si2VJOZvrVskWVrRWQdXzO6K5osUFKBX2Zr
        Qk51j05oJmOY1I0OV94pvFJ6gwVAVHJ7Dmk50nsiBkwVADkPgY9RSwLNAoGAJNwV
        2EcecOzEVSZaCTW7Q/b5zdTUzIqhwkPKrZZKAZD+bpl07n+AcKIi0E/htry/t1Oz
        T2A0+mqETqPCoQgOwVfG2kqED49UHOsKHnU/64DDVIQlwkqaQHwH0aoFVEcXgWuN
        qEFY6XW2jwCANdjGM3uBsfv9zRMO1JAWbXYZyOkCgYAOPUBWIwn0r8ZbJmrg/AMH
        3pJwmFanEzMY2Axxi2Ho7sn2K+1p9YrHysL/UYCzndnpgAOxIpIkiAJc6mZFnzHc
        CZCnHEeDdQiAVzApRxDB3s02XOPdfzjjkEuCbYRUurArUNQUXBBw6FqZdVEKfCVw
        A3Qe5tS9WUFxNStstAjMZA==
        -----END PRIVATE KEY-----
        """)

    /// An RSA key that is too short.
    static let rsa1024 = testKey(
        """
        -----BEGIN PRIVATE KEY-----
        MIICdwIBADANBgkqhkiG9w0BAQEFAASCAmEwggJdAgEAAoGBANkDs4CprJaM6b2/
        EP/vgVzcy51Zk9wb3LKBPPEb0r8+EmvXbWD/Pbpfn40ZxWVqlY8Vg+mxdfu+/Ddz
        nxEqZ7eWDdvMmosAwPs6wSBLA0yK3SpCYE8jeX7dBHNQJOQ7BkeUlK1B+E0wO3QY
        fuWc806q3xVX+S68iI4I1WzNzXFbAgMBAAECgYEAyqc6KRxJnw1X+WlDZr0yAJXv
        TrEn8pPSNJ+bWUyyMQS2Dx7NdZbk/fXt+MXoIBy4LTXaSZD+rGhc/ytpj44Z6w3V
        z0qke9LmgukudoBf/ll670DycOx8OPz1it/qZ7RDCUp3+q7D6z1+g0Bpo4q7XXV4
        GoNQ1QCBIdW6Rh/Fg4ECQQD4Rfp22ZtK8/e5ovNpY3UV8sjVWCikO0tuTBsXSVlM
        aoRv3gfrW+lDcWHmS9kW1rqK8h+YMryKw5krGwH8Y95/AkEA38St/81bomHFQzQh
        Cjj6fMYz7pj5l8AnAyw7OCqNjD8Cmgh6NVp9wNf9L2bEjtEdytY0WJdtgPyQYNtL
        2u83JQJAW6xDMnVhUQjKlQIlTOnLhwIxxA0cXKAEV0LE0hFkZsICCuh6Fh7G//8y
        vf2NuFArazjCD8nUMozM1szPK+mYcwJALEjWTqurmOVUjspAR6+jExJ+sJehvcCP
        d/dG+QSi4sCNmUJYPTrdbE7SkpD6EXGdPclKrsW5LC/Puvtrdbal6QJBAKerKcY6
        qY/Y4LEOSPoKUg+BYOPFo/HbNVjZTFgz9z01XP9HLn06gA6cW/W4OZ4wtPWRQ+bt
        cXmPzpWDqHKgfbM=
        -----END PRIVATE KEY-----
        """)

    /// A 2,048-bit RSA key with the public exponent 3.
    static let exponent3 = testKey(
        """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCyM1tPsvYAdurN
        cFDk94cPE4rJdyM5TaS/gJL0rQe02fOZIw6s0LOAyDbTjv4Y48l6nhZ0WCo48D0Q
        Z/V1eerH9bKsVPgv/biVhLjDtiTiYACfY9Dt9PPQskG8/ezutlcbS9EA2pJCCfw3
        baUfDjkn7Ymr0UvJygLMh3sh6BSWtmk/n+j5z5zDW7/s23/qaImVcox0+pcg88t7
        u1YIG59lpdbCgPom7/E0jYziA2fYPYT+UCiDc4D+clat5GBq7SSxVu7yP593SqrL
        pnlbkxf5PsR1vWaLJ4sqJ1znmqJMpLCxIle4SLmXAx/bDOJFv/LHMy0ePnkvk0nS
        Inj9FXKDAgEDAoIBAHbM54p3Tqr58d5K4JilBLS3sdukwiYzwypVt03Ir83momYX
        Xx3gd6swJI0J/rtChlG+uaLlcXtK02BFTk5RRy/5Icg4pXVT0GOt0IJ5bexAAGpC
        i0lN9+B21n3+nfR5j2eH4Ks8YYFb/XpJGL9e0MVJBnKLh9vcAd2vp2vwDbnN0sPB
        kA9EfVOckgGGEaQ+I1F4J/wvvMxOcY0Wy/9kfvLdSXZ2zy73aF22uZ4bWRJcP7t5
        2CA+A7JC+m4DO7xevQOniu6FubP74svTgrITfvIQ4W6P3SBd9/+WhD5EPPB9Q3p3
        H97NKyo2fjhRnl84A8+TNhr0B1vde7l5Trok5isCgYEA6t14dAFLeh2ffmv8QQcO
        uftdVq2c/+1RU5iXawXwzX0hR0TtQ6+WFpcIDw4B4ZuhHKBAP5yuDqlAlzZPPdef
        G+8Gbj6iXFeKYekp7zBfM19xjZnKz/0xkRNmGzNJPjpSqeH7SvKL5vKvINSMfGYR
        eLtrVu1r65260tdaotSN+qECgYEAwjyFHOGdZqhRZn6WJGz8mp/g+c0V/AEszY+B
        uQMUE3w4oUvhf7DmvhDzZ2bYgKESCMTZJLZobMnNR9KQSPi/7TzVME3UrJHGdLC/
        RiAWpi6z5LYayt1pBhdfe1brCKmWIZd0XPeJEeUCQbIF+FDadFRrBQhkgogMPWSR
        4BFQHqMCgYEAnJOloquHpr5qVEf9gK9fJqeTjx5oqp42N7sPnK6giP4WL4NI18pk
        Dw9atLQBQRJraGrVf73JXxuAZM7ffo+/Z/Su9CnBkuUG6/DGn3WUzOpLs7vciqjL
        tgzuvMzbftGMcUFSMfcH70x0wI2y/Zlg+yec5J5H8mknNzo8bI2z/GsCgYEAgX2u
        E0ETmcWLmam5bZ39vGqV+94OqADIiQpWe1dit6glwN1A/8tEfrX3mkSQVcC2sIM7
        bc7wSIaI2oxgMKXVSNM4yt6NyGEu+HXU2Wq5xB8imHlnMejwrro/p49HWxu5a7pN
        k0+wtpisK8wD+uCRouLyA1rtrFqy05hhQAuKvxcCgYEA5H7kkLXmhVriztq64dWJ
        YP0Wdp0ysxh5BQFp3VC4+pV77CI8MJA7L3lYzwtiVNQLX94pLPAm9ooD/Nc8gO7e
        4ki47j0ya7O1LeblSTiG7EB8FtTr8LFHYuo5t5RTcipuHzWFHmhzB2yxU414hkQ5
        KfK//08Ab8AzUb85L12bWK8=
        -----END PRIVATE KEY-----
        """)

    /// An elliptic curve key on P-256.
    static let p256 = testKey(
        """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg8RVEjKqsWMdi9Nz8
        ZhjMUXJyzGk0avox/VVsFZ48MhahRANCAARS3rsJn+3yWy/scowrOwjTIsfPFt9w
        +IBn4Y+yWzLWfvLbWnbRQ2uJ1grFrcfwDrdUEmjLWGnD7fbCghCF27nW
        -----END PRIVATE KEY-----
        """)

    /// A 4,096-bit RSA key.
    static let rsa4096 = testKey(
        """
        -----BEGIN PRIVATE KEY-----
        MIIJRAIBADANBgkqhkiG9w0BAQEFAASCCS4wggkqAgEAAoICAQD6QieixP/S40FS
        qEHABNKJGvEvWOw9oA+4wHHUSVBs35XbUO6Yv4qCP+TcS8oErftoAJaRnLbJumyv
        nbt1RC/sgDmmKGn1Z1GI00QGvFmSV/56rFS4wOeONvFsFpD3eK0QlB1gCeljLSgV
        ZpOIO6z2tm1pqh/wpeRGG7q/cYB8piJ6WDLdN7SbVCCxwekehUvCDwDXIl9wLSqL
        fr4lzLQnonaVvv+wPJB2jnQ7/BH8IrnhbkcL58+iLbX8XOv+rWSMEk4QKKspjkpt
        M+RiIj7NQTefOyRJx4l1GfyTm9hxMJ5rFv9k0snnJpuBYGkz34zJZwRkzMIwe/vw
        JpnGRYmlmuPC7bfujGCV18JQ+RmKBvzCPZwg6X1GLMPDT3SFFdtMVG2RUfTfZPFy
        08w03Dlzu1qtSR7SI7Vm/obcoVBwLqbABHdF4lXSdic1lhsIqwApJ1Nt+a5WFF7y
        z4BkWL3RlmqCiku0aqf4mjwoQWjJ90kIyZ6Q7w+XHw3Afj26szIoUNNwzO71VaCv
        lwJemcAe7vz/wwJwmFO+uDOgqAqLZ7T32um4ntFEmr62jUQ5xCR9SdsGi0El0Npz
        ShMTQIblqBByDfBoMETkol2b2cO9WHXs611Mra49M6VvXAOLqnHB2fFsiD3vyDsf
        s5Aqflu7jyBidfJrP5FaCA14yy9lYQIDAQABAoICAD9h+vTsLRjl6tj6+XAfKI2G
        D9jcjjTLcb/qqcnI6cAxXpyF4nA4buWvNhEfduJ5iCeeooPtq5PrDfTqn5xDMVoW
        XcN6D+ASE2HylBOap5r7g13hgLGsVdk8jCfCjWPIIhkFUm1NBVnTiYfmC26hIpz3
        tj1hU6aY9XhWNJWhMxge4bOX3AYQQkNm6sLqqFbNDtNvBlj2gTKBlflvl8wuDODO
        8nbZwZuKs1H7oW/B13JC/04bpo3a38klB6cLh8/gbYtWZYQNMNCdE7eVwX2jS8Gj
        h2liSr4O9f79Hm3qNkbwt+bKk9Oe2XkcW51IZEy5jUhDOacn/vTVqgj4VdEUMpiJ
        K0c1OuFSEtgjqVKzoCYnQEWx8Vs34Enolv4HNjQv4adUMftZf7+M8ntNArU30/Ox
        nqGAGEaTIcWxwjfVCSsPd3ZrYgaNNzE+vmH3Vgb9N0T5CUmLvZcD/vHclaz59AES
        16BXlVkEuTXTEk+krm4Dd6NvsrVSr+iZ48010/zvJmw9r0BGCgdFJUE5vVnqcMq1
        OIm7wcKn6i79xISf7IXXokyhoCbcJokc82q+tMYzDbgJrN2Vju/rsm5Y9c0K/8Zz
        PrnNmyXSBAYDsWRZKglOdvOjJT+fsI3rIJpZ+pFqhyrxyp4amawYpH7kO4tsaDt2
        Pz7hli3XRThEcfqnG1BbAoIBAQD+4Bjm5LLDbeyf7zp5W5+sKnF7cWY4myEDjvEu
        Fdz86RLNU9csiXCpzqjOuBXwsWDA2F8ZLbvHYFfkL201zckngZsjpd9d1ZZJ78Bb
        wd2y8mvCROp3dn90Gw0WybNdo6YpZ44TFUFvoDI8PGzIR8HWJNtJEkj+79gGipfV
        T0Ko7YXwEurpXuhnw69K4/mQf1SF/2RpwnI5fPxRYqfKDyPDZhFlulm7d15/uPY+
        43Rt6/PXmbmVUJKimeBQGh/z2SaUSmbbjgFOfB7xAy31hD0ZUz0UG0BXaHWlLOzy
        Q1nVfuZprXJ8ykdmyHL9vvttG9mp3qTPrYzDVoPWR2FLZ7ynAoIBAQD7XNeh8P/S
        G04lCjJYnaVkWqn+OzbMATfg9VxZTkF4kGSTbSxK7VUqCvLt/3FPQSqLPezjJV51
        EManCjnUHBRr9yV/XEFl8awjNx2JYFOsp2mYsGyHINavuEJMUdTGnib4jnYpr4bG
        Zz41N9533vTOUSkf37Y65DtorOBwdu2jk2LfKt2kSuV3bddfTcmTH+AiIhszkFN6
        42Rv8FwZoOfj2V9MeqqWbh9Fe1N2raAhmzRjwExIg7wMvXwm58Lls5uiewxbK+XZ
        ltzY4lBNMjjeXAFTwzhVERun4UNolmpHYQBkkunmr8Yciz47LnXSTjhdh85PGsPj
        kj0cL3X022a3AoIBAQDBvGYxXDXmB3COQbIY/WRp4flQ8+nXrVNy+PyrI0NPm3sH
        SGuPFwnkiYoXWCaVRr9c1xuyb+kErF8ivEovU7VLqmDawAMBuJD8spltJff3Rf5T
        NT9kf1ZyUv2oDLmiu/paDrUYHFgZGZQV5Xhq5OCafnmRGa0S3A1BK6guJIlvDt14
        l2io69OMzFo6ewAArkj5ciBJo9xfhnnlAzC3jrqIlNU0lmoO7bWPMHE9bHfb9jbr
        85X1wcE0h/LR8InJOY7xuXxl95NWrVJ3sQsGTPaEgZkz52MJDgYe//88R6XJeyR5
        v7X+1WNg5Y1DBCDp1vmk/fAZTLpq4SBliOyT/M6RAoIBAQDMXfvj6rHT/edXLico
        7WOfaCd2UGaJDySDfnoLEhkhEST0yHqOoM/xUt2Yq2tQ6MbSVxLWy3c07uLUxPen
        gP0JmvOdzUBOxmMSbqlRHERrx+GPB0H1y7lBPSqKKq44njVJOWrREakefqqRUk9K
        XrfjVxF8nMLots+ml4gTaF5l9Fsa3xs9jLdslp3ZGsGdIPl2Rwyeq+VzsJXkfSQk
        ojJnikB1SfaQQBCkyVRe1WOwbyP1Rk+/VXv7T8Q1TZGkeJc9T5YIOnSyqHn+zGJF
        oWOjRmK926ddYn99yySnUEQwrKlJHDmYGamVY5DBRVD+ICKryNLwde52hFuzItNg
        tVGZAoIBAQCICMw0KBSQVeHTJ+pnHMGd71bVLlUg7RcGio/x95tcGzjmOMKy86+b
        mXlsU8jeTRDj+zSQDXJFAYpMOAptD0jv/BW/2rkTy8w26Uc/uj6ISncmtu+MDMFj
        tQKf3xCe+hIOhqzgEXJy++6BXrWAnU7tSwkKb8OXs8aEKgBWToERDSfEDKUrTF3a
        suDOVHEMQDsEYtWdM31quHX5rur1rrM14c6U9ALLqYvYpv2grzjk1EbplsA819mP
        Oid+HQ68yCA61YmCPEsj7WOyWD5S1GKwa1fWPpEr7tFvaLoUbc4z6fVdoF4mItpW
        q1u++93JXFatbl0hiaC/2Not58B6lyat
        -----END PRIVATE KEY-----
        """)
}
