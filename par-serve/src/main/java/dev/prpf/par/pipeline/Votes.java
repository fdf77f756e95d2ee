package dev.prpf.par.pipeline;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.JsonFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The votes of one reviewer, as the review page saves them.
 *
 * @param reviewer name of the person or model
 * @param data SHA-256 of the reviewed file
 */
record Votes(String reviewer, String data, List<Vote> votes) {
    private static final int AGREE = 2;

    /** A vote on one record. */
    record Vote(String id, boolean accept, String reason) {}

    /** The decision on a record. */
    enum Decision {
        ACCEPTED,
        REJECTED,
        /** Fewer than two reviewers agree. */
        OPEN
    }

    /**
     * Reads a reviewer's file.
     *
     * @param ids of the records
     * @throws InvalidDataException if it is of other records, or has two votes on one
     */
    static Votes read(Path file, String sha256, Set<String> ids) {
        Votes votes = JsonFile.record(file, "file of votes", Votes.class);
        if (!votes.data.equals(sha256)) {
            throw new InvalidDataException(file + ": votes on other records: its data hash is " + votes.data
                    + ", must be " + sha256 + "; review this file on a new page");
        }
        Set<String> seen = new HashSet<>();
        for (Vote vote : votes.votes) {
            if (!ids.contains(vote.id) || !seen.add(vote.id)) {
                throw new InvalidDataException(
                        file + ": the record " + vote.id + " is unknown or has two votes; each may have one");
            }
        }
        return votes;
    }

    private Map<String, Boolean> byId() {
        Map<String, Boolean> accepts = new LinkedHashMap<>();
        votes.forEach(vote -> accepts.put(vote.id, vote.accept));
        return accepts;
    }

    /** Returns all votes on each record that has some: whether they accept it. */
    static Map<String, List<Boolean>> byRecord(List<Votes> all) {
        return all.stream()
                .flatMap(reviewer -> reviewer.votes.stream())
                .collect(Collectors.groupingBy(Vote::id, Collectors.mapping(Vote::accept, Collectors.toList())));
    }

    /** Decides on a record: two must agree, and they must not be fewer than the others. */
    static Decision decide(List<Boolean> votes) {
        long accepts = votes.stream().filter(vote -> vote).count();
        long rejects = votes.size() - accepts;
        if (accepts >= AGREE && accepts > rejects) {
            return Decision.ACCEPTED;
        }
        return rejects >= AGREE && rejects >= accepts ? Decision.REJECTED : Decision.OPEN;
    }

    /**
     * Returns the mean of Cohen's kappa over pairs of reviewers, each over the records that both voted on. Null if no pair has a kappa: no
     * common record, or both give every record the same vote.
     */
    static @Nullable Double kappa(List<Votes> all) {
        List<Double> kappas = new ArrayList<>();
        for (int a = 0; a < all.size(); a++) {
            for (int b = 0; b < a; b++) {
                Double kappa = kappa(all.get(a).byId(), all.get(b).byId());
                if (kappa != null) {
                    kappas.add(kappa);
                }
            }
        }
        return kappas.isEmpty()
                ? null
                : (Double) kappas.stream().mapToDouble(kappa -> kappa).average().orElseThrow();
    }

    private static @Nullable Double kappa(Map<String, Boolean> a, Map<String, Boolean> b) {
        List<String> common = a.keySet().stream().filter(b::containsKey).toList();
        double n = common.size();
        double equal = common.stream()
                        .filter(id -> Objects.equals(a.get(id), b.get(id)))
                        .count()
                / n;
        double first = common.stream().filter(a::get).count() / n;
        double second = common.stream().filter(b::get).count() / n;
        double chance = first * second + (1 - first) * (1 - second);
        return common.isEmpty() || chance == 1 ? null : (Double) ((equal - chance) / (1 - chance));
    }
}
