package dev.prpf.par.serve.policy;

import dev.prpf.par.serve.http.ApiException;
import java.util.regex.Pattern;

/**
 * A user of one API key. The same name under another key is another account: no key sees, counts against or erases what another key's requests left.
 *
 * @param owner name of the API key, or "local"
 */
record Account(String owner, String user) {
    static final String USER_RULE = "has 1 to 128 of A-Z a-z 0-9 . _ @ -, and not dots only";
    private static final Pattern USER = Pattern.compile("(?!\\.+$)[A-Za-z0-9._@-]{1,128}");

    static boolean isUser(String name) {
        return USER.matcher(name).matches();
    }

    /** @throws ApiException 400 for an invalid user name */
    static void requireUser(String user) {
        if (!isUser(user)) {
            throw ApiException.invalid("user", "user is not a valid user name: it " + USER_RULE);
        }
    }

    /** @throws ApiException 400 as {@link #requireUser} */
    static Account of(String caller, String user) {
        requireUser(user);
        return new Account(caller, user);
    }
}
