package dev.prpf.par.generate;

import dev.prpf.par.engine.FreeMemory;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.commons.lang3.exception.ExceptionUtils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The prefix cache: the layers' states for the beginnings of prompts, in a tree of token blocks (as vLLM's prefix caching). Least recently used
 * blocks are evicted first. A prompt's last block may be short; it serves only that prompt.
 */
final class PrefixCache implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PrefixCache.class);

    /** Tokens of a block; a multiple of a delta-net's chunk. */
    static final int BLOCK = 64;

    private final long maxBytes;
    private final boolean states;
    private final Map<String, Node> roots = new HashMap<>();
    private final Set<Node> nodes = new HashSet<>();
    private long bytes;
    private long clock;
    private boolean dropped;

    private static final class Node {
        private final @Nullable Node parent;
        private final LongBuffer tokens;
        private final Map<LongBuffer, Node> children = new HashMap<>();
        private KvCache.@Nullable Saved saved;
        private long used;

        Node(@Nullable Node parent, LongBuffer tokens) {
            this.parent = parent;
            this.tokens = tokens;
        }

        boolean hasStates() {
            return saved != null && saved.states().length > 0;
        }
    }

    /**
     * @param maxBytes maximum bytes of all blocks; 0 keeps nothing
     * @param states whether a block can be used only with the states of linear layers at its end
     */
    PrefixCache(long maxBytes, boolean states) {
        this.maxBytes = maxBytes;
        this.states = states;
    }

    boolean keeps() {
        return maxBytes > 0;
    }

    long bytes() {
        return bytes;
    }

    /**
     * Loads the longest cached prefix of a prompt's first {@code limit} tokens into an empty row; returns its number of tokens.
     *
     * @param tenant owner of the cached prompts
     * @param prompt as {@link Prompt#keyed}
     */
    int load(String tenant, long[] prompt, int limit, KvCache cache, int row) {
        List<Node> path = path(root(tenant), prompt, limit);
        if (states) {
            while (!path.isEmpty() && !path.get(path.size() - 1).hasStates()) {
                path.remove(path.size() - 1);
            }
        }
        int loaded = 0;
        for (int i = 0; i < path.size(); i++) {
            Node node = path.get(i);
            node.used = ++clock;
            boolean withStates = states && i == path.size() - 1;
            cache.load(row, Objects.requireNonNull(node.saved), node.tokens.limit(), withStates);
            loaded += node.tokens.limit();
        }
        return loaded;
    }

    private Node root(String tenant) {
        return roots.computeIfAbsent(tenant, unseen -> new Node(null, LongBuffer.allocate(0)));
    }

    private static List<Node> path(Node root, long[] prompt, int limit) {
        List<Node> path = new ArrayList<>();
        Node node = root;
        int at = 0;
        while (at < limit) {
            Node next = node.children.get(key(prompt, at, Math.min(limit, at + BLOCK)));
            if (next == null) {
                return path;
            }
            path.add(next);
            at += next.tokens.limit();
            node = next;
        }
        return path;
    }

    /** Returns the first block of a prompt; prompts share blocks only if the first one is equal. The last token is never cached. */
    static LongBuffer firstBlock(long[] prompt) {
        return key(prompt, 0, Math.min(BLOCK, prompt.length - 1));
    }

    /** Returns the number of blocks for some tokens. */
    static int blocks(int tokens) {
        return (tokens + BLOCK - 1) / BLOCK;
    }

    private static LongBuffer key(long[] prompt, int begin, int end) {
        return LongBuffer.wrap(Arrays.copyOfRange(prompt, begin, end));
    }

    /** Copies the cached tokens of a row. */
    interface Row {
        /**
         * Copies positions, as {@link KvCache#save}.
         *
         * @param states whether to copy the states of linear layers too
         */
        KvCache.Saved save(int begin, int end, boolean states);
    }

    /**
     * Caches a prompt's first {@code limit} tokens from a row, up to a block with a NaN or without memory. The row holds exactly these tokens, or
     * more if there are no states.
     *
     * @param tenant owner of the entry
     * @param prompt as {@link Prompt#keyed}
     */
    void save(String tenant, long[] prompt, int limit, Row row) {
        Node node = root(tenant);
        for (int begin = 0; begin < limit; begin += BLOCK) {
            int end = Math.min(limit, begin + BLOCK);
            LongBuffer key = key(prompt, begin, end);
            Node next = node.children.get(key);
            boolean withStates = states && end == limit;
            if (next == null || (withStates && !next.hasStates())) {
                KvCache.Saved saved = saved(row, begin, end, withStates);
                if (saved == null) {
                    return;
                }
                next = next == null ? child(node, key) : next;
                replace(next, saved);
            }
            next.used = ++clock;
            evict();
            if (!nodes.contains(next)) {
                return; // the prompt is larger than the cache
            }
            node = next;
        }
    }

    /** Copies a prompt's block. Returns null for a block with a NaN or without memory: copies serve only later prompts, so no sequence fails for them. */
    private KvCache.@Nullable Saved saved(Row row, int begin, int end, boolean withStates) {
        KvCache.Saved saved;
        try {
            saved = row.save(begin, end, withStates);
        } catch (RuntimeException | OutOfMemoryError e) {
            if (!outOfMemory(e)) {
                throw e;
            }
            if (!dropped) {
                LOG.warn(
                        "no memory to keep a prompt's tokens {} to {} for others; such blocks are dropped",
                        begin,
                        end,
                        e);
            }
            dropped = true;
            return null;
        }
        if (saved.holdsNan()) {
            saved.close();
            return null;
        }
        return saved;
    }

    private static boolean outOfMemory(Throwable failure) {
        return ExceptionUtils.indexOfType(failure, OutOfMemoryError.class) >= 0 || FreeMemory.shortage(failure) != null;
    }

    private Node child(Node parent, LongBuffer tokens) {
        Node child = new Node(parent, tokens);
        parent.children.put(tokens, child);
        nodes.add(child);
        return child;
    }

    private void replace(Node node, KvCache.Saved saved) {
        if (node.saved != null) {
            bytes -= node.saved.bytes();
            node.saved.close();
        }
        node.saved = saved;
        bytes += saved.bytes();
    }

    private void evict() {
        while (bytes > maxBytes) {
            Node oldest = nodes.stream()
                    .filter(node -> node.children.isEmpty())
                    .min(Comparator.comparingLong(node -> node.used))
                    .orElseThrow();
            nodes.remove(oldest);
            Objects.requireNonNull(oldest.parent).children.remove(oldest.tokens);
            KvCache.Saved saved = Objects.requireNonNull(oldest.saved);
            bytes -= saved.bytes();
            saved.close();
        }
    }

    @Override
    public void close() {
        nodes.forEach(node -> Objects.requireNonNull(node.saved).close());
    }
}
