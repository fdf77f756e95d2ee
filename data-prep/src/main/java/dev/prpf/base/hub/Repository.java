package dev.prpf.base.hub;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * A repository of the hub.
 *
 * @param type what it holds
 * @param id {@code name} or {@code namespace/name}, by the hub's rules: ASCII letters, digits, {@code - _ .}, at most 96 characters a part
 */
public record Repository(RepositoryType type, String id) {
    private static final Pattern ID = Pattern.compile("(\\b[A-Za-z0-9_.-]{1,96}\\b/)?\\b[A-Za-z0-9_.-]{1,96}\\b");

    public Repository {
        String hint = id.matches("(models|datasets|spaces)/.+/.+") ? "; say what it holds with --repo-type" : "";
        if (!ID.matcher(id).matches() || id.contains("--") || id.contains("..") || id.endsWith(".git")) {
            throw new IllegalArgumentException("repository \"" + id + "\": must be NAME or NAMESPACE/NAME of letters,"
                    + " digits, '-', '_' and '.', without \"--\", \"..\" and a \".git\" at its end" + hint);
        }
    }

    /** Its folder in a cache: {@code models--namespace--name}. */
    String folder() {
        return type.plural + "--" + id.replace("/", "--");
    }

    /** As messages name it. */
    @Override
    public String toString() {
        return type.name().toLowerCase(Locale.ROOT) + " " + id;
    }
}
