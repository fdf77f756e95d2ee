package dev.prpf.par.constraint;

import java.util.Arrays;
import java.util.List;

/** Texts as a tree of bytes, flat in preorder: the nodes below node i are i + 1 to {@code ends[i]}, exclusive. Node 0 is the root. */
final class ByteTree {
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
