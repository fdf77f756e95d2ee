package dev.prpf.eval.command;

import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.files.AtomicFiles;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A part of a data set. Its samples depend only on their ids, not on file or order.
 *
 * @param index number of the part, from 1
 */
record Shard(int index, int count) {
    static final Shard WHOLE = new Shard(1, 1);

    private static final Pattern FORM = Pattern.compile("([0-9]{1,6})/([0-9]{1,6})");
    /** Hexadecimal digits of a hash that fit into a long. */
    private static final int DIGITS = 15;

    /**
     * Parses {@code i/n}; null is the whole data set.
     *
     * @throws UsageException unless i is 1 to n
     */
    static Shard parse(@Nullable String text) {
        if (text == null) {
            return WHOLE;
        }
        Matcher matcher = FORM.matcher(text);
        if (matcher.matches()) {
            Shard shard = new Shard(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
            if (shard.index >= 1 && shard.index <= shard.count) {
                return shard;
            }
        }
        throw new UsageException("--shard = " + text + ", must be I/N with I from 1 to N, as 2/8");
    }

    boolean has(String id) {
        String hash = AtomicFiles.sha256(id.getBytes(StandardCharsets.UTF_8));
        return Long.parseLong(hash.substring(0, DIGITS), 16) % count == index - 1;
    }

    @Override
    public String toString() {
        return index + "/" + count;
    }
}
