package dev.prpf.base.config;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Keys that a configuration's section had before. They are refused; the message names what takes their place. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface FormerKeys {
    /** Each "{@code old-key: what takes its place}", such as "{@code max-frames: prompt.max-screenshots}". */
    String[] value();
}
