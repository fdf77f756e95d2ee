package dev.prpf.base;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.IoFailure;
import java.io.ByteArrayOutputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;

/**
 * Runs code on mutated inputs. Each is accepted or rejected with a {@link PrpfException} in less than 2 s of CPU time, and the
 * heap does not grow. {@code -Dprpf.fuzz=N} sets the number of inputs, {@code -Dprpf.fuzz.seed=N} the seed of the first; the next
 * seeds follow.
 */
public final class Fuzz {
    private static final double LONGEST_SECONDS = 2;
    private static final long GROWTH = 64 << 20;
    private static final List<byte[]> PIECES = List.of(
            bytes("\""),
            bytes("{"),
            bytes("["),
            bytes("null"),
            bytes("\\ud800"),
            bytes("1e999"),
            bytes("-1"),
            bytes("9".repeat(400)),
            bytes("[".repeat(5000)),
            bytes("{a: ".repeat(500)),
            bytes("&a [*a, *a]"),
            bytes("\n- "),
            bytes(": "),
            new byte[] {(byte) 0xff, (byte) 0xff, (byte) 0xff, 0x7f},
            new byte[] {(byte) 0xed, (byte) 0xa0, (byte) 0x80},
            new byte[8]);

    private Fuzz() {}

    /** The code to fuzz. */
    @FunctionalInterface
    public interface Attempt {
        void on(byte[] input, Random random) throws Exception;
    }

    /**
     * Runs the code on mutations of inputs.
     *
     * @param few number of inputs without {@code prpf.fuzz}
     * @return the number of inputs that were accepted
     */
    public static int run(String name, int few, List<byte[]> inputs, Attempt attempt) {
        int count = Integer.getInteger("prpf.fuzz", few);
        long first = Long.getLong("prpf.fuzz.seed", 1);
        long before = 0;
        double longest = 0;
        int accepted = 0;
        for (int i = 0; i < count; i++) {
            if (i == count / 10) {
                before = heap();
            }
            Random random = new Random(first + i);
            byte[] input = mutated(inputs.get(random.nextInt(inputs.size())), random);
            String context = name + ", -Dprpf.fuzz=1 -Dprpf.fuzz.seed=" + (first + i) + ": "
                    + new String(input, 0, Math.min(4000, input.length), StandardCharsets.ISO_8859_1);
            long begin = cpu();
            try {
                attempt.on(input, random);
                accepted++;
            } catch (PrpfException refused) {
                assertThat(refused.getMessage()).as(context).isNotBlank();
            } catch (UncheckedIOException refused) {
                assertThat(IoFailure.of(refused))
                        .as(context)
                        .isInstanceOf(InvalidDataException.class); // as the commands do
            } catch (Throwable crash) {
                throw new AssertionError(context, crash);
            }
            double seconds = (cpu() - begin) / 1e9;
            assertThat(seconds).as(context).isLessThan(LONGEST_SECONDS);
            longest = Math.max(longest, seconds);
        }
        long after = heap();
        assertThat(after - before).as("growth of the heap: " + name).isLessThan(GROWTH);
        System.out.printf(
                "%s: %d inputs, %d accepted, longest %.3f s, heap %d KiB before and %d KiB after%n",
                name, count, accepted, longest, before >> 10, after >> 10);
        return accepted;
    }

    private static long cpu() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static long heap() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    public static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Truncates an input, or removes, repeats, replaces or inserts pieces, one to four times. */
    public static byte[] mutated(byte[] input, Random random) {
        byte[] changed = input;
        for (int i = random.nextInt(4); i >= 0 && changed.length > 0; i--) {
            int at = random.nextInt(changed.length);
            int to = at + random.nextInt(Math.min(changed.length - at, 1 + random.nextInt(changed.length)));
            ByteArrayOutputStream next = new ByteArrayOutputStream();
            next.write(changed, 0, at);
            int kind = random.nextInt(8);
            if (kind == 1) {
                next.write(changed, to, changed.length - to);
            } else if (kind == 2) {
                next.write(changed, at, to - at);
                next.write(changed, at, changed.length - at);
            } else if (kind == 3) {
                next.writeBytes(PIECES.get(random.nextInt(PIECES.size())));
                next.write(changed, at, changed.length - at);
            } else if (kind > 3) {
                next.write(kind < 6 ? random.nextInt(256) : changed[at] ^ 1 << random.nextInt(8));
                next.write(changed, at + 1, changed.length - at - 1);
            }
            changed = next.toByteArray();
        }
        return changed;
    }
}
