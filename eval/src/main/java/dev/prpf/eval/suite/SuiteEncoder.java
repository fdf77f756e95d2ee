package dev.prpf.eval.suite;

import dev.prpf.data.encode.text.TextEncoder;
import java.util.function.Supplier;

/**
 * A frozen text encoder whose vectors a suite's gates see.
 *
 * @param name as on the command line; what tables call it
 * @param opened opens it; it is closed as soon as the texts are encoded
 */
public record SuiteEncoder(String name, Supplier<TextEncoder> opened) {}
