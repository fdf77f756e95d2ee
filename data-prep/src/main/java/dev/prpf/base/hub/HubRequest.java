package dev.prpf.base.hub;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * A request to download files of a repository.
 *
 * @param revision a branch, a tag, a pull request's ref or a commit
 * @param filter selects the files
 * @param folder the target for plain files, or null for the shared cache
 */
public record HubRequest(Repository repository, String revision, FileFilter filter, @Nullable Path folder) {
    private static final Pattern COMMIT = Pattern.compile("[0-9a-f]{40}");

    public HubRequest {
        if (revision.isBlank() || !revision.equals(revision.strip()) || !HubFile.isSafe(revision)) {
            throw new IllegalArgumentException("revision \"" + revision
                    + "\": must be a branch, a tag or a commit, without empty, \".\" or \"..\" parts");
        }
    }

    /** Returns whether the text is a full commit id. */
    static boolean isCommit(String revision) {
        return COMMIT.matcher(revision).matches();
    }

    String what() {
        return repository + " at revision " + revision;
    }

    /**
     * Selects files of a repository by the globs of {@code huggingface_hub} (Python's {@code fnmatch}). {@code *} crosses folders,
     * {@code [!a]} negates, a trailing {@code /} selects the whole folder; case matters.
     */
    public static final class FileFilter {
        private final List<Pattern> include;
        private final List<Pattern> exclude;

        /**
         * Creates a filter from globs.
         *
         * @param include a file must match one of these; an empty list includes all files
         * @throws IllegalArgumentException naming an invalid glob
         */
        public FileFilter(List<String> include, List<String> exclude) {
            this.include = include.stream().map(FileFilter::pattern).toList();
            this.exclude = exclude.stream().map(FileFilter::pattern).toList();
        }

        boolean wants(String path) {
            return (include.isEmpty() || matches(include, path)) && !matches(exclude, path);
        }

        private static boolean matches(List<Pattern> patterns, String path) {
            return patterns.stream().anyMatch(pattern -> pattern.matcher(path).matches());
        }

        private static Pattern pattern(String glob) {
            String whole = glob.endsWith("/") ? glob + "*" : glob;
            StringBuilder regex = new StringBuilder();
            int at = 0;
            while (at < whole.length()) {
                int c = whole.codePointAt(at);
                at += Character.charCount(c);
                int close = c == '[' ? closing(whole, at) : -1;
                if (close >= 0) {
                    regex.append(characters(whole.substring(at, close)));
                    at = close + 1;
                } else {
                    regex.append(c == '*' ? ".*" : c == '?' ? "." : Pattern.quote(Character.toString(c)));
                }
            }
            try {
                return Pattern.compile(regex.toString(), Pattern.DOTALL);
            } catch (PatternSyntaxException e) {
                throw new IllegalArgumentException("glob \"" + glob + "\": " + e.getDescription(), e);
            }
        }

        /** Returns the end of the set that starts before {@code from}; a bracket right at its start belongs to the set. */
        private static int closing(String glob, int from) {
            int first = glob.startsWith("!", from) ? from + 1 : from;
            return glob.indexOf(']', first + 1);
        }

        private static String characters(String set) {
            boolean negated = set.startsWith("!");
            String members = (negated ? set.substring(1) : set).replaceAll("([\\[\\]\\\\&^])", "\\\\$1");
            return "[" + (negated ? "^" : "") + members + "]";
        }
    }

    /**
     * A repository of the hub.
     *
     * @param type model or dataset
     * @param id {@code name} or {@code namespace/name}, by the hub's rules: ASCII letters, digits, {@code - _ .}, at most 96
     *     characters a part
     */
    public record Repository(Type type, String id) {
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
                throw new IllegalArgumentException(
                        "repository \"" + id + "\": must be NAME or NAMESPACE/NAME of letters,"
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
}
