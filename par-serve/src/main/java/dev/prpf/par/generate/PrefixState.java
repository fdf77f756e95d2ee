package dev.prpf.par.generate;

import dev.prpf.base.error.PrpfException;
import dev.prpf.par.engine.Decoder;
import dev.prpf.par.engine.KvCache;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * What a decoder remembers of a sequence of tokens: keys and values, the states of its linear layers, and its logits for what comes next.
 * Prompts that begin with these tokens go on from here ({@link GenerationRequest}), any number of times: the state is read, never changed.
 * It belongs to the weights it was made with.
 */
public final class PrefixState implements AutoCloseable {
    private final Decoder decoder;
    private final long[] ids;
    private final Prefill prefill;

    PrefixState(Decoder decoder, long[] ids, Prefill prefill) {
        this.decoder = decoder;
        this.ids = ids.clone();
        this.prefill = prefill;
    }

    /** Number of tokens. */
    public int length() {
        return ids.length;
    }

    /** The tokens. */
    public long[] ids() {
        return ids.clone();
    }

    /** Memory it takes. */
    public long bytes() {
        return GenerationMemory.caches(decoder, 1, length());
    }

    /** Whether a prompt begins with these tokens. */
    public boolean begins(long[] prompt) {
        return prompt.length >= ids.length && Arrays.equals(ids, 0, ids.length, prompt, 0, ids.length);
    }

    /**
     * Stores it as a safetensors file.
     *
     * @param weights names them, as {@link HuggingFaceDirectory#sha256} does
     * @throws PrpfException 69 if it cannot be written
     */
    public void write(Path file, String weights) {
        PrefixStateFile.write(file, this, decoder, weights);
    }

    /**
     * Reads what {@link #write} stored.
     *
     * @param weights names those of the decoder, as it did then
     * @return the caller's to close
     * @throws PrpfException 65 if the file is damaged, of other weights or of another precision
     */
    public static PrefixState read(Path file, Decoder decoder, String weights) {
        return PrefixStateFile.read(file, decoder, weights);
    }

    boolean isOf(Decoder other) {
        return decoder == other;
    }

    Prefill prefill() {
        return prefill;
    }

    KvCache caches() {
        return prefill.caches();
    }

    @Override
    public void close() {
        prefill.close();
    }
}
