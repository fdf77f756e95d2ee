package dev.prpf.par.constraint;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.par.tokenizer.Tokenizer.WrittenToken;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A vocabulary as a tree of bytes, flat in preorder. The nodes below node i are i + 1 to {@link #end}(i), so a walk skips impossible ones by one
 * jump. Node 0 is the root. Built once per tokenizer.
 */
final class TokenTrie {
    private static final int NONE = -1;
    private static final int BYTES = 256;

    private final int width;
    private final byte[][] written;
    private final int[] twins;
    private final int[] roots = new int[BYTES];
    private final byte[] labels;
    private final int[] depths;
    private final int[] ends;
    private final int[] tokens;
    private final int height;

    /**
     * Builds the tree of these tokens.
     *
     * @param width number of the model's ids; tokens beyond are excluded
     * @throws PrpfException 65 if a byte that every text may need is not a token: then some beginnings of texts could not be completed
     */
    TokenTrie(List<WrittenToken> vocabulary, int width) {
        this.width = width;
        written = new byte[width][];
        twins = new int[width];
        Arrays.fill(twins, NONE);
        Arrays.fill(roots, NONE);
        List<WrittenToken> sorted =
                new ArrayList<>(vocabulary.stream().filter(t -> t.id() < width).toList());
        sorted.sort(Comparator.comparing(WrittenToken::bytes, Arrays::compareUnsigned));
        ByteTree tree = new ByteTree(sorted.stream().map(WrittenToken::bytes).toList());
        labels = tree.labels;
        depths = tree.depths;
        ends = tree.ends;
        height = Arrays.stream(depths).max().orElse(0);
        tokens = new int[labels.length];
        Arrays.fill(tokens, NONE);
        for (int i = 0; i < sorted.size(); i++) {
            WrittenToken token = sorted.get(i);
            written[token.id()] = token.bytes();
            twins[token.id()] = tokens[tree.nodes[i]];
            tokens[tree.nodes[i]] = token.id();
        }
        for (int child = 1; child < labels.length; child = ends[child]) {
            roots[label(child)] = child;
        }
        requireBytes();
    }

    private void requireBytes() {
        for (int b = 0x20; b < 0xC0; b++) {
            if (b != 0x7F && (roots[b] == NONE || tokens[roots[b]] == NONE)) {
                throw new InvalidDataException(String.format(
                        "the vocabulary has no token for the single byte 0x%02X; constrained decoding needs one for"
                                + " every printable ASCII character and every continuation byte of UTF-8",
                        b));
            }
        }
    }

    int width() {
        return width;
    }

    /** Returns the number of nodes, with the root. */
    int size() {
        return labels.length;
    }

    int label(int node) {
        return labels[node] & 0xFF;
    }

    int depth(int node) {
        return depths[node];
    }

    /** Returns the first node that is not below a node. */
    int end(int node) {
        return ends[node];
    }

    boolean isToken(int node) {
        return tokens[node] != NONE;
    }

    /** Sets the bit of every token that ends at a node. */
    void mark(int node, long[] bits) {
        for (int token = tokens[node]; token != NONE; token = twins[token]) {
            bits[token >> 6] |= 1L << token;
        }
    }

    /** Clears the bit of every token that ends at a node. */
    void unmark(int node, long[] bits) {
        for (int token = tokens[node]; token != NONE; token = twins[token]) {
            bits[token >> 6] &= ~(1L << token);
        }
    }

    /** Returns the node that a byte leads to, or -1. */
    int child(int node, int b) {
        if (node == 0) {
            return roots[b];
        }
        for (int child = node + 1; child < ends[node]; child = ends[child]) {
            if (label(child) == b) {
                return child;
            }
        }
        return NONE;
    }

    int find(byte[] bytes) {
        int node = 0;
        for (int i = 0; i < bytes.length && node != NONE; i++) {
            node = child(node, bytes[i] & 0xFF);
        }
        return node;
    }

    /** Returns the bytes of a token, or null for one that never occurs in a text. */
    byte @Nullable [] written(long token) {
        return token < 0 || token >= width ? null : written[(int) token];
    }

    /** Returns the tokens that never occur in a text, such as the ends of a response. */
    long[] textless() {
        long[] bits = noTokens();
        for (int token = 0; token < width; token++) {
            if (written[token] == null) {
                bits[token >> 6] |= 1L << token;
            }
        }
        return bits;
    }

    /** Returns an empty set of tokens: one bit each, 64 per word. */
    long[] noTokens() {
        return new long[(width + 63) >> 6];
    }

    int height() {
        return height;
    }

    /** Returns the fewest tokens that write a text from each of its bytes on, {@link Expression#NEVER} if impossible; 0 at its end. */
    int[] spelling(byte[] text) {
        int[] fewest = new int[text.length + 1];
        for (int from = text.length - 1; from >= 0; from--) {
            fewest[from] = Expression.NEVER;
            int node = 0;
            for (int i = from; i < text.length && node != NONE; i++) {
                node = child(node, text[i] & 0xFF);
                if (node != NONE && isToken(node)) {
                    fewest[from] = Math.min(fewest[from], Expression.sum(1, fewest[i + 1]));
                }
            }
        }
        return fewest;
    }

    /** Texts as a tree of bytes, flat in preorder: the nodes below node i are i + 1 to {@code ends[i]}, exclusive. Node 0 is the root. */
    static final class ByteTree {
        final byte[] labels;
        final int[] ends;
        final int[] depths;

        /** The node of each text. */
        final int[] nodes;

        /** @param sorted in the order of unsigned bytes */
        ByteTree(List<byte[]> sorted) {
            int size = 1;
            int height = 0;
            byte[] before = {};
            for (byte[] text : sorted) {
                size += text.length - shared(before, text);
                height = Math.max(height, text.length);
                before = text;
            }
            labels = new byte[size];
            ends = new int[size];
            depths = new int[size];
            nodes = new int[sorted.size()];
            fill(sorted, new int[height + 1]);
            ends[0] = size;
        }

        private void fill(List<byte[]> sorted, int[] path) {
            int made = 0;
            byte[] before = {};
            for (int t = 0; t <= sorted.size(); t++) {
                byte[] text = t < sorted.size() ? sorted.get(t) : new byte[0];
                int shared = shared(before, text);
                for (int d = before.length; d > shared; d--) {
                    ends[path[d]] = made + 1;
                }
                for (int d = shared; d < text.length; d++) {
                    path[d + 1] = ++made;
                    labels[made] = text[d];
                    depths[made] = d + 1;
                }
                if (t < sorted.size()) {
                    nodes[t] = path[text.length];
                }
                before = text;
            }
        }

        private static int shared(byte[] before, byte[] text) {
            int mismatch = Arrays.mismatch(before, text);
            return mismatch < 0 ? text.length : mismatch;
        }
    }
}
