package dev.prpf.cli.tracking;

import java.util.regex.Pattern;
import org.apache.commons.codec.digest.DigestUtils;

/**
 * Makes names that MLflow accepts for metrics, parameters and tags. They have letters, digits, {@code _ - . / } and spaces, at most 250
 * characters, no empty or dotted parts of a path. Most names pass unchanged. In others each refused character becomes {@code _}, and a part of
 * the name's hash is appended to keep them distinct.
 */
final class MlflowNames {
    private static final int LONGEST = 250;
    private static final int HASH = 8;
    private static final Pattern REFUSED = Pattern.compile("[^\\w./ -]", Pattern.UNICODE_CHARACTER_CLASS);
    /** Parts that a path would lose. */
    private static final Pattern PATH = Pattern.compile("(^|/)(\\.{0,2})(?=/|$)");

    private MlflowNames() {}

    static String of(String name) {
        if (!REFUSED.matcher(name).find() && !PATH.matcher(name).find() && name.length() <= LONGEST) {
            return name;
        }
        String taken = PATH.matcher(REFUSED.matcher(name).replaceAll("_")).replaceAll("$1_");
        int length = Math.min(taken.length(), LONGEST - HASH - 1);
        return taken.substring(0, length) + "-" + DigestUtils.sha256Hex(name).substring(0, HASH);
    }
}
