package bot;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import java.util.List;
import org.cheatarena.v1.CheaterAct;
import org.cheatarena.v1.CheaterActionKind;
import org.cheatarena.v1.CheaterAttack;
import org.cheatarena.v1.CheaterHand;
import org.cheatarena.v1.CheaterHandShown;
import org.cheatarena.v1.CheaterPick;
import org.cheatarena.v1.Event;
import org.junit.jupiter.api.Test;

class CheaterTest {
    private static final byte TAKE = 24;

    private static ByteString bytes(int... cards) {
        var bytes = ByteString.newOutput();
        for (var card : cards) {
            bytes.write(card);
        }
        return bytes.toByteString();
    }

    /** Red C H E A T, one yellow C and a TAKE: the red word lacks an E and the R. */
    private static Cheater table() {
        var game = new Cheater(0, 3);
        var hand = CheaterHand.newBuilder().setCards(bytes(0, 1, 2, 3, 4, 6, TAKE));
        game.learn(Event.newBuilder().setCheaterHand(hand).build());
        return game;
    }

    @Test
    void theNearestWordNeedsTwoCards() {
        var hand = List.of(0, 1, 2, 3, 4, 6, 24);
        assertEquals(List.of(2, 5), Cheater.missing(hand, 0));
        assertEquals(List.of(6, 24, 0, 1, 2, 3, 4), Cheater.leastUsefulFirst(hand, 0));
    }

    @Test
    void itAttacksTheSeatThatHasTheMissingCard() {
        var game = table();
        var shown = CheaterHandShown.newBuilder().setSeat(2).setCards(bytes(5));
        game.learn(Event.newBuilder().setCheaterHandShown(shown).build());
        var options = CheaterAct.newBuilder().setPlayable(bytes(TAKE)).setTargets(bytes(1, 2));
        var action = game.act(options.build());
        assertEquals(CheaterActionKind.CHEATER_ACTION_KIND_PLAY, action.getKind());
        assertEquals(2, action.getTarget());
    }

    @Test
    void afterADemandItDiscardsWhatHelpsLeast() {
        var pick = CheaterPick.newBuilder()
                .setAttack(CheaterAttack.CHEATER_ATTACK_DEMAND)
                .setHand(bytes(5, 9))
                .setMost(1);
        var action = table().pick(pick.build());
        assertEquals(5, action.getCard());
        assertEquals(6, action.getDiscard());
    }
}
