package dev.prpf.par.constraint;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** An object of JSON whose fields the pool does not name. */
final class OpenObject {
    private final Branch value;
    private final TokenTrie trie;
    private final OpenKey.Site site;

    OpenObject(TextMachine key, Branch value, TokenTrie trie) {
        this.value = value;
        this.trie = trie;
        site = new OpenKey.Site(key, this::value, Cost.sum(value.cost(), 2));
    }

    /** The way it begins. */
    Option option(boolean mayBeEmpty) {
        return Option.of("{", fields("", Set.of(), mayBeEmpty));
    }

    private List<Expression> value(Set<String> keys) {
        return List.of(Branch.literal(":", trie, value, fields(",", keys, true)));
    }

    private Branch fields(String comma, Set<String> keys, boolean mayEnd) {
        List<Option> options = new ArrayList<>();
        if (mayEnd) {
            options.add(Option.end("}"));
        }
        if (keys.size() < OpenKey.MOST_FIELDS) {
            options.add(Option.of(comma + "\"", new OpenKey(site, 0, "", keys)));
        }
        return Branch.of(options, trie);
    }
}
