package dev.prpf.base.command;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.Printable;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.json.JsonRecords;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * Prints the results of commands, the only content of standard output. {@link #claim()} points {@code System.out} at standard
 * error, so that no library's stray print can land between a command's results.
 */
public final class ResultStream {
    private static final int DIGITS = 5;
    private static volatile PrintStream out = System.out;

    private ResultStream() {}

    /** Called once by the main class, before any library loads. */
    public static void claim() {
        out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        System.setOut(System.err);
    }

    /** Redirects results to this stream and returns the previous one. */
    public static PrintStream redirect(PrintStream target) {
        PrintStream before = out;
        out = Objects.requireNonNull(target);
        return before;
    }

    /** Returns a writer to standard output for {@code --help} and {@code --version}. */
    public static PrintWriter writer() {
        return new PrintWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8), true);
    }

    /**
     * Prints one line of text or JSON; control characters are escaped ({@link Printable}).
     *
     * @throws PrpfException 69 if standard output cannot be written
     */
    public static void line(String text) {
        out.println(Printable.text(text));
        requireTaken();
    }

    /**
     * Prints text unchanged, without a line terminator.
     *
     * @throws PrpfException 69 if standard output cannot be written
     */
    public static void text(String text) {
        out.print(text);
        requireTaken();
    }

    /**
     * Flushes standard output and checks it for errors. A {@link PrintStream} never throws, so a closed pipe or a full disk is
     * found only here.
     *
     * @throws PrpfException 69 if standard output cannot be written
     */
    public static void requireTaken() {
        if (out.checkError()) {
            throw new UnavailableException("the result cannot be written to standard output: its reader ended (a closed"
                    + " pipe), or its disk is full; run again with another target");
        }
    }

    /** Prints a record, a map or a list of them as one line of JSON ({@link JsonRecords}). */
    public static void json(Object value) {
        line(JsonRecords.write(value));
    }

    /**
     * Prints a command's metrics as one JSON object, or as one line per metric with numbers rounded to five significant digits.
     *
     * @param metrics a record, or a map by name, in order
     * @param json whether {@code --json} was given
     */
    public static void metrics(Object metrics, boolean json) {
        if (json) {
            json(metrics);
        } else {
            JsonRecords.tree(metrics)
                    .properties()
                    .forEach(metric -> line(metric.getKey() + ": " + text(metric.getValue())));
        }
    }

    /** Returns the metrics on one line: "loss 0.5, steps 3". */
    public static String row(JsonNode metrics) {
        return metrics.properties().stream()
                .map(metric -> metric.getKey() + " " + text(metric.getValue()))
                .collect(Collectors.joining(", "));
    }

    private static String text(JsonNode value) {
        if (value.isObject()) {
            return row(value);
        }
        if (value.isFloatingPointNumber()) {
            return new BigDecimal(value.asText())
                    .round(new MathContext(DIGITS))
                    .stripTrailingZeros()
                    .toPlainString();
        }
        return JsonRecords.text(value);
    }
}
