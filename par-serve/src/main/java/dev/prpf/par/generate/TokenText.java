package dev.prpf.par.generate;

/** The text that tokens stand for. */
@FunctionalInterface
public interface TokenText {
    /** Text of ids; a character whose last bytes are missing reads as U+FFFD. */
    String of(long[] ids);
}
