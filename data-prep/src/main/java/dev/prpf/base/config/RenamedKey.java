package dev.prpf.base.config;

import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A key that a configuration record once had; {@link StrictYaml} refuses it with the name it has now. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(RenamedKey.List.class)
public @interface RenamedKey {
    /** The old key, in kebab case. */
    String was();

    /** What to write instead: the new key, or a few words where the value changes too. */
    String now();

    /** Several of one record. */
    @Target(ElementType.TYPE)
    @Retention(RetentionPolicy.RUNTIME)
    @interface List {
        RenamedKey[] value();
    }
}
