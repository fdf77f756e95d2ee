package dev.prpf.base.hub;

import java.nio.file.Path;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What to get.
 *
 * @param repository from where
 * @param revision a branch, a tag, a pull request's ref or a commit
 * @param filter which of its files
 * @param folder where the files go as plain files, or null for the shared cache
 */
public record HubRequest(Repository repository, String revision, FileFilter filter, @Nullable Path folder) {
    private static final Pattern COMMIT = Pattern.compile("[0-9a-f]{40}");

    public HubRequest {
        if (revision.isBlank() || !revision.equals(revision.strip()) || !HubFile.isSafe(revision)) {
            throw new IllegalArgumentException("revision \"" + revision
                    + "\": must be a branch, a tag or a commit, without empty, \".\" or \"..\" parts");
        }
    }

    /** Whether the text is a whole commit id, which never names anything else. */
    static boolean isCommit(String revision) {
        return COMMIT.matcher(revision).matches();
    }

    String what() {
        return repository + " at revision " + revision;
    }
}
