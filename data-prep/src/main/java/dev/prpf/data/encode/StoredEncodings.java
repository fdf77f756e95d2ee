package dev.prpf.data.encode;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.encode.store.ContentKey;
import dev.prpf.data.encode.store.EmbeddingStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;

/**
 * An encoder with its store. Missing contents are encoded in pieces, each content once. Each piece is stored before the next
 * starts, so that a kill loses one piece. Thread-safe; threads that need the same content at the same time may each encode it.
 *
 * @param <T> type of contents: texts or images
 * @param <V> type of encodings
 */
final class StoredEncodings<T, V> implements AutoCloseable {
    private final EmbeddingStore<V> store;
    private final Function<List<T>, List<ContentKey>> keys;
    private final Function<List<T>, List<List<T>>> pieces;
    private final Function<List<T>, List<V>> encoder;
    private final Set<ContentKey> made = new HashSet<>();
    private final Set<ContentKey> found = new HashSet<>();
    private long encoded;

    /**
     * Creates an encoder that owns its store.
     *
     * @param keys returns the contents' keys in order
     * @param pieces splits missing contents, see {@link #pieces}
     * @param encoder returns one encoding per content, in order
     */
    StoredEncodings(
            EmbeddingStore<V> store,
            Function<List<T>, List<ContentKey>> keys,
            Function<List<T>, List<List<T>>> pieces,
            Function<List<T>, List<V>> encoder) {
        this.store = store;
        this.keys = keys;
        this.pieces = pieces;
        this.encoder = encoder;
    }

    /** Splits a list into consecutive pieces; each ends when its elements' total cost reaches the limit. */
    static <T> List<List<T>> pieces(List<T> list, ToIntFunction<T> cost, int limit) {
        List<List<T>> pieces = new ArrayList<>();
        int from = 0;
        int costs = 0;
        for (int i = 0; i < list.size(); i++) {
            costs += cost.applyAsInt(list.get(i));
            if (costs >= limit || i == list.size() - 1) {
                pieces.add(list.subList(from, i + 1));
                from = i + 1;
                costs = 0;
            }
        }
        return pieces;
    }

    synchronized long encoded() {
        return encoded;
    }

    /** Returns the number of requested contents that the store had before it was opened here. */
    synchronized long reused() {
        return found.size();
    }

    /** Encodes and stores the contents that the store lacks. */
    void fill(List<T> contents) {
        getLazily(contents);
    }

    List<T> missing(List<T> contents) {
        List<ContentKey> all = keys.apply(contents);
        return IntStream.range(0, all.size())
                .filter(i -> !store.contains(all.get(i)))
                .mapToObj(contents::get)
                .toList();
    }

    /** Returns the encodings in order; equal contents share one, missing ones are computed and stored. */
    List<V> get(List<T> contents) {
        Map<ContentKey, V> read = new HashMap<>();
        return located(contents, (key, value) -> () -> value).stream()
                .map(one ->
                        read.computeIfAbsent(one.key(), unseen -> one.encoding().get()))
                .toList();
    }

    /** Returns the encodings of {@link #get} as suppliers that read the store when called, also after {@link #close}. */
    List<Supplier<V>> getLazily(List<T> contents) {
        return located(contents, this::kept).stream().map(Located::encoding).toList();
    }

    /** Returns a stored value; a store in memory may already have evicted it. */
    private Supplier<V> kept(ContentKey key, V value) {
        Supplier<V> kept = store.getLazily(key);
        return kept == null ? () -> value : kept;
    }

    private record Located<V>(ContentKey key, Supplier<V> encoding) {}

    /** @param encodedNow returns a new encoding after it was stored */
    private List<Located<V>> located(List<T> contents, BiFunction<ContentKey, V, Supplier<V>> encodedNow) {
        List<ContentKey> all = keys.apply(contents);
        Map<ContentKey, Supplier<V>> encodings = new HashMap<>();
        Map<ContentKey, T> missing = new LinkedHashMap<>();
        for (int i = 0; i < all.size(); i++) {
            ContentKey key = all.get(i);
            Supplier<V> had = encodings.containsKey(key) ? null : store.getLazily(key);
            if (had != null) {
                encodings.put(key, had);
                foundBefore(key);
            } else if (!encodings.containsKey(key)) {
                missing.putIfAbsent(key, contents.get(i));
            }
        }
        List<ContentKey> due = List.copyOf(missing.keySet());
        int at = 0;
        for (List<T> piece : pieces.apply(List.copyOf(missing.values()))) {
            encodeAndStore(piece, due.subList(at, at + piece.size()))
                    .forEach((key, value) -> encodings.put(key, encodedNow.apply(key, value)));
            at += piece.size();
        }
        return all.stream()
                .map(key -> new Located<>(key, Objects.requireNonNull(encodings.get(key))))
                .toList();
    }

    private synchronized void foundBefore(ContentKey key) {
        if (store.lasts() && !made.contains(key)) {
            found.add(key);
        }
    }

    void put(List<T> contents, List<V> encodings) {
        put(contents, keys.apply(contents), encodings);
    }

    private Map<ContentKey, V> encodeAndStore(List<T> piece, List<ContentKey> due) {
        return put(piece, due, encoder.apply(piece));
    }

    private Map<ContentKey, V> put(List<T> piece, List<ContentKey> due, List<V> encodings) {
        List<ContentKey> now = keys.apply(piece);
        Map<ContentKey, V> entries = new HashMap<>();
        for (int i = 0; i < piece.size(); i++) {
            if (!now.get(i).equals(due.get(i))) {
                throw new InvalidDataException(piece.get(i) + " was changed while it was being encoded; run again");
            }
            entries.put(due.get(i), encodings.get(i));
        }
        store.put(entries);
        stored(due);
        return entries;
    }

    private synchronized void stored(List<ContentKey> due) {
        encoded += due.size();
        if (store.lasts()) { // else the keys would outlive their encodings
            made.addAll(due);
        }
    }

    @Override
    public void close() {
        store.close();
    }
}
