package dev.prpf.par.serve.policy;

import dev.prpf.par.serve.http.ApiException;
import java.util.regex.Pattern;

/**
 * Whose state it is: a user of one caller. The same name under another API key is another account, so that no key sees, counts against or
 * erases what another one's requests left.
 *
 * @param owner name of the API key, or "local"
 */
record Account(String owner, String user) {
    static final String USER_RULE = "has 1 to 128 of A-Z a-z 0-9 . _ @ -, and not dots only";
    private static final Pattern USER = Pattern.compile("(?!\\.+$)[A-Za-z0-9._@-]{1,128}");

    /** Whether users may be named so. */
    static boolean isUser(String name) {
        return USER.matcher(name).matches();
    }

    /** @throws ApiException 400 for a name that no user may have */
    static void requireUser(String user) {
        if (!isUser(user)) {
            throw ApiException.invalid("user", "user is no name of a user: it " + USER_RULE);
        }
    }

    /** @throws ApiException 400 as {@link #requireUser} */
    static Account of(String caller, String user) {
        requireUser(user);
        return new Account(caller, user);
    }
}
