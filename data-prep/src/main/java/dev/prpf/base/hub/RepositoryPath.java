package dev.prpf.base.hub;

import java.util.regex.Pattern;

/** Paths a hub names: they must not lead out of the folder they are put in, whoever wrote them, on any system. */
final class RepositoryPath {
    private static final Pattern DRIVE = Pattern.compile("[A-Za-z]:.*", Pattern.DOTALL);
    private static final int FIRST_PRINTABLE = 0x20;

    private RepositoryPath() {}

    /** Whether a path of parts joined by {@code /} is relative and goes down only. */
    static boolean isSafe(String path) {
        if (path.indexOf('\\') >= 0 || path.chars().anyMatch(c -> c < FIRST_PRINTABLE)) {
            return false;
        }
        for (String part : path.split("/", -1)) {
            if (part.isEmpty()
                    || part.equals(".")
                    || part.equals("..")
                    || DRIVE.matcher(part).matches()) {
                return false;
            }
        }
        return true;
    }
}
