package dev.prpf.base.config;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Names the YAML resource that holds the default of each key of a configuration. A file then needs only its differences. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface Defaults {
    /** Returns the resource: relative to the record's class, or the path of a shipped file, such as {@code /configs/gate.yaml}. */
    String value();

    /** Returns the keys that every file must state, such as the path of a model; dotted in a section. */
    String[] except() default {};

    /** Marks a record with optional keys: a missing key is null, an empty list, mapping or sparse record; other keys must be stated. */
    @Target(ElementType.TYPE)
    @Retention(RetentionPolicy.RUNTIME)
    @interface Sparse {}
}
