package dev.prpf.data;

import java.io.Serializable;

/**
 * One intent scenario.
 *
 * @param name the English name, the identity in files and reports ("Food & Dining")
 * @param chinese the Chinese name, used in prompts
 */
public record Scenario(String name, String chinese) implements Serializable {}
