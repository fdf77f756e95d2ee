package dev.prpf.data.synth;

import java.util.List;

/**
 * Templates with one meaning in both languages; {@code {slot}} is replaced by an entity.
 *
 * @param zh Chinese templates, at least one
 * @param en English templates, at least one
 */
record PhraseTemplates(List<String> zh, List<String> en) {
    PhraseTemplates {
        zh = List.copyOf(zh);
        en = List.copyOf(en);
        if (zh.isEmpty() || en.isEmpty()) {
            throw new IllegalArgumentException("a family of phrases needs a template in each language: " + zh + en);
        }
    }

    List<String> in(Language language) {
        return language.of(zh, en);
    }
}
