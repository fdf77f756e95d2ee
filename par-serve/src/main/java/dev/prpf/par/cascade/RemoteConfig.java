package dev.prpf.par.cascade;

import dev.prpf.par.openai.ServerSettings;
import dev.prpf.par.openai.TokenPrice;
import org.jspecify.annotations.Nullable;

/**
 * A reasoner on a server: {@code configs/remote.yaml}.
 *
 * @param server how it is reached; may change when a run goes on
 * @param reasoner what it is asked; may not
 * @param price what it costs, or null where that is nobody's question
 */
public record RemoteConfig(ServerSettings server, RemoteSettings reasoner, @Nullable TokenPrice price) {}
