<?php

declare(strict_types=1);

// Runs in php-cgi with the settings of a web server, in which only preloaded files may use FFI.

$verifier = new AppReceipt\Verifier(bundle_ids: 'any', environment: 'any');
$receipt = file_get_contents(__DIR__ . '/../../../../Fixtures/genuine/receipts/ideas-mac-mindnode-sha256-production.der');
if ($verifier->verify($receipt)->receipt->bundleId !== 'com.ideasoncanvas.mindnode.macos') {
    throw new LogicException('another receipt');
}
try {
    FFI::cdef('int getpid(void);');
    throw new LogicException('FFI is not restricted');
} catch (FFI\Exception) {
    echo "passed: a web server\n";
}
