package dev.prpf.base.command;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The heading of a mixin's options in the help of commands with many options. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface OptionGroup {
    String RUN = "Configuration, run and output";
    String DATA = "Data";
    String DECODING = "Decoding";

    String value();
}
