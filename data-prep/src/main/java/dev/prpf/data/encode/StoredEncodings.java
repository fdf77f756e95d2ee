package dev.prpf.data.encode;

import dev.prpf.base.error.InvalidDataException;
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
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/**
 * An encoder behind its store. What the store lacks is encoded piece by piece, each content once, and every piece is stored before the
 * next begins: a kill loses one piece.
 *
 * @param <T> contents: texts or images
 * @param <V> their encodings
 */
final class StoredEncodings<T, V> implements AutoCloseable {
    private final EmbeddingStore<V> store;
    private final Function<List<T>, List<ContentKey>> keys;
    private final Function<List<T>, List<List<T>>> pieces;
    private final Function<List<T>, List<V>> encoder;
    private final Set<ContentKey> made = new HashSet<>();
    private final Set<ContentKey> found = new HashSet<>();

    /**
     * Owns the store.
     *
     * @param keys the contents' keys, in order
     * @param pieces cuts what is missing, see {@link #pieces}
     * @param encoder one encoding a content, in order
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

    /** A list cut into consecutive pieces; each ends as soon as its elements' costs reach the limit. */
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

    /** How many contents went through the encoder. */
    synchronized long encoded() {
        return made.size();
    }

    /** How many contents the store had from before this was opened, of those that were asked for. */
    synchronized long reused() {
        return found.size();
    }

    /** Encodes and stores what the store lacks; returns the contents' keys, in order. */
    List<ContentKey> fill(List<T> contents) {
        return fill(contents, encoding -> {});
    }

    /** @param encodedNow is given what the store lacked, piece by piece, once it is stored */
    private synchronized List<ContentKey> fill(List<T> contents, Consumer<Map<ContentKey, V>> encodedNow) {
        List<ContentKey> all = keys.apply(contents);
        Map<ContentKey, T> missing = new LinkedHashMap<>();
        for (int i = 0; i < all.size(); i++) {
            if (!store.contains(all.get(i))) {
                missing.putIfAbsent(all.get(i), contents.get(i));
            } else if (!made.contains(all.get(i))) {
                found.add(all.get(i));
            }
        }
        List<ContentKey> due = List.copyOf(missing.keySet());
        int at = 0;
        for (List<T> piece : pieces.apply(List.copyOf(missing.values()))) {
            encodedNow.accept(encodeAndStore(piece, due.subList(at, at + piece.size())));
            at += piece.size();
        }
        return all;
    }

    private Map<ContentKey, V> encodeAndStore(List<T> piece, List<ContentKey> due) {
        List<V> encodings = encoder.apply(piece);
        List<ContentKey> now = keys.apply(piece);
        Map<ContentKey, V> entries = new HashMap<>();
        for (int i = 0; i < piece.size(); i++) {
            if (!now.get(i).equals(due.get(i))) {
                throw new InvalidDataException(piece.get(i) + " was changed while it was being encoded; run again");
            }
            entries.put(due.get(i), encodings.get(i));
        }
        store.put(entries);
        made.addAll(due);
        return entries;
    }

    /** The encodings, in order, equal contents sharing one; what is missing is encoded and stored. */
    List<V> get(List<T> contents) {
        Map<ContentKey, V> known = new HashMap<>();
        List<ContentKey> all = fill(contents, known::putAll);
        return all.stream()
                .map(key -> known.computeIfAbsent(key, other -> Objects.requireNonNull(store.get(other))))
                .toList();
    }

    /** As {@link #get}, each read from the store's file when it is asked for, also after {@link #close}. */
    List<Supplier<V>> getLazily(List<T> contents) {
        return fill(contents).stream()
                .map(key -> Objects.requireNonNull(store.getLazily(key)))
                .toList();
    }

    @Override
    public void close() {
        store.close();
    }
}
