package dev.prpf.base.hub;

import java.util.List;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * Selects files of a repository by the globs of {@code huggingface_hub} (Python's {@code fnmatch}). {@code *} crosses folders,
 * {@code [!a]} negates, a trailing {@code /} selects the whole folder; case matters.
 */
public final class FileFilter {
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

    /** Returns the end of the set that starts before {@code from}; a bracket right at its start is a member. */
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
