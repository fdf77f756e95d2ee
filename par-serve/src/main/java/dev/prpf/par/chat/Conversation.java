package dev.prpf.par.chat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.InvalidDataException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The input of a chat template.
 *
 * @param messages at least one, oldest first
 * @param tools the functions that may be called, each a JSON object; may be empty
 * @param generationPrompt whether to begin the assistant's next turn
 * @param thinking {@code enable_thinking}; null leaves it to the template's default
 */
public record Conversation(
        List<ChatMessage> messages, List<JsonNode> tools, boolean generationPrompt, @Nullable Boolean thinking) {
    public Conversation {
        messages = List.copyOf(messages);
        tools = List.copyOf(tools);
        if (messages.isEmpty()) {
            throw new InvalidDataException("a conversation has no messages; give at least one");
        }
    }

    int size() {
        return messages.size();
    }

    ChatMessage message(int index) {
        return messages.get(index);
    }

    boolean isLast(int index) {
        return index == messages.size() - 1;
    }

    /** Returns whether that message exists and has the role. */
    boolean is(int index, ChatMessage.Role role) {
        return index >= 0 && index < messages.size() && messages.get(index).role() == role;
    }

    boolean startsWithSystem() {
        return is(0, ChatMessage.Role.SYSTEM);
    }

    /** Returns whether there are functions or calls. */
    public boolean usesTools() {
        return !tools.isEmpty()
                || messages.stream().anyMatch(message -> !message.toolCalls().isEmpty());
    }
}
