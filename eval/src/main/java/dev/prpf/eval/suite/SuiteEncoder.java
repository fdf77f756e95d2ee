package dev.prpf.eval.suite;

import dev.prpf.data.encode.text.TextEncoder;
import java.util.function.Supplier;

/**
 * A frozen text encoder for a suite's gates.
 *
 * @param name its name on the command line and in tables
 * @param opened opens the encoder, which is closed after encoding the texts
 */
public record SuiteEncoder(String name, Supplier<TextEncoder> opened) {}
