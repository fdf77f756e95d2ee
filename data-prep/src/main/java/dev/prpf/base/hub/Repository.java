package dev.prpf.base.hub;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * A repository of the hub.
 *
 * @param type model or dataset
 * @param id {@code name} or {@code namespace/name}, by the hub's rules: ASCII letters, digits, {@code - _ .}, at most 96
 *     characters a part
 */
public record Repository(Type type, String id) {
    /** The type of a repository. */
    public enum Type {
        MODEL("models", ""),
        DATASET("datasets", "datasets/");

        /** The type's name in API addresses and in cache folders. */
        final String plural;
        /** The prefix of the repository's id in the addresses of files. */
        final String prefix;

        Type(String plural, String prefix) {
            this.plural = plural;
            this.prefix = prefix;
        }
    }

    private static final Pattern ID = Pattern.compile("(\\b[A-Za-z0-9_.-]{1,96}\\b/)?\\b[A-Za-z0-9_.-]{1,96}\\b");

    public Repository {
        String hint = id.matches("(models|datasets|spaces)/.+/.+") ? "; name its type with --repo-type" : "";
        if (!ID.matcher(id).matches() || id.contains("--") || id.contains("..") || id.endsWith(".git")) {
            throw new IllegalArgumentException("repository \"" + id + "\": must be NAME or NAMESPACE/NAME of letters,"
                    + " digits, '-', '_' and '.', without \"--\", \"..\" and a \".git\" at its end" + hint);
        }
    }

    /** Returns the folder in a cache: {@code models--namespace--name}. */
    String folder() {
        return type.plural + "--" + id.replace("/", "--");
    }

    @Override
    public String toString() {
        return type.name().toLowerCase(Locale.ROOT) + " " + id;
    }
}
