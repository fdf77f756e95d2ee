package dev.prpf.par.serve.policy;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.files.IoFailure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The policies of {@code --policy}, read once: one file, or a folder of {@code default.yaml} and {@code USER.yaml} files. A user name of a request is
 * looked up in a map and never becomes a path.
 */
final class PolicyFiles {
    private static final String SUFFIX = ".yaml";
    private static final String DEFAULT = "default";

    private final UserRules everybody;
    private final Map<String, UserRules> own;

    private PolicyFiles(UserRules everybody, Map<String, UserRules> own) {
        this.everybody = everybody;
        this.own = Map.copyOf(own);
    }

    /**
     * Reads the file, or each file of the folder; ignores names that begin with a dot or have another suffix.
     *
     * @throws dev.prpf.base.error.PrpfException 78 if it is missing, a file is invalid or has an invalid name, or {@code default.yaml} is missing
     */
    static PolicyFiles read(Path place) {
        if (!Files.exists(place)) {
            throw new InvalidConfigurationException(
                    place + ": there is no such file or folder; --policy needs a policy, such as configs/policy.yaml");
        }
        if (!Files.isDirectory(place)) {
            return new PolicyFiles(rules(place), Map.of());
        }
        Map<String, UserRules> own = new HashMap<>();
        for (Path file : files(place)) {
            own.put(user(file), rules(file));
        }
        UserRules everybody = own.remove(DEFAULT);
        if (everybody == null) {
            throw new InvalidConfigurationException(
                    place + ": has no " + DEFAULT + SUFFIX + ", the policy of users without a file of their own");
        }
        return new PolicyFiles(everybody, own);
    }

    static PolicyFiles standard() {
        UserPolicy policy = StrictYaml.readText("the default policy", "{}", UserPolicy.class, List.of());
        return new PolicyFiles(new UserRules(policy), Map.of());
    }

    private static List<Path> files(Path folder) {
        return IoFailure.whileReading(folder, () -> {
            try (Stream<Path> files = Files.list(folder)) {
                return files.filter(file ->
                                name(file).endsWith(SUFFIX) || !name(file).startsWith("."))
                        .sorted()
                        .toList();
            }
        });
    }

    private static String name(Path file) {
        return String.valueOf(file.getFileName());
    }

    private static String user(Path file) {
        String name = name(file);
        String user = name.endsWith(SUFFIX) ? name.substring(0, name.length() - SUFFIX.length()) : "";
        if (!Account.isUser(user)) {
            throw new InvalidConfigurationException(file + ": not a valid policy name; a file must be named " + DEFAULT
                    + SUFFIX + " or USER" + SUFFIX + ", and a user " + Account.USER_RULE);
        }
        return user;
    }

    private static UserRules rules(Path file) {
        return new UserRules(StrictYaml.read(file, UserPolicy.class, List.of()));
    }

    UserRules of(String user) {
        return own.getOrDefault(user, everybody);
    }

    /** Returns the users with their own file. */
    Set<String> users() {
        return own.keySet();
    }
}
