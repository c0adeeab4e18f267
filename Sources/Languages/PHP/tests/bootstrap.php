<?php

declare(strict_types=1);

// The tests need no packages. A failed check throws an exception.

foreach (glob(__DIR__ . '/../src/*.php') as $file) {
    require_once $file;
}

function fixture(string $path): string
{
    return file_get_contents(__DIR__ . "/../../../../Fixtures/$path");
}

function same(mixed $expected, mixed $found): void
{
    if ($expected !== $found) {
        throw new LogicException(var_export($found, true) . ', expected ' . var_export($expected, true));
    }
}

/** Checks that the function throws an exception of the class with the text in its message. */
function throws(string $class, string $text, Closure $function): void
{
    try {
        $function();
    } catch (Throwable $error) {
        if (!$error instanceof $class || !str_contains($error->getMessage(), $text)) {
            throw $error;
        }
        return;
    }
    throw new LogicException("no exception, expected $class: $text");
}
