<?php

// For a web server: opcache.preload names this file, so that ffi.enable can keep its default, preload.
FFI::load(__DIR__ . '/src/appreceipt.ffi.h');
