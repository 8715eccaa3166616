package bot;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import java.util.List;
import org.cheatarena.v1.CheatActionKind;
import org.cheatarena.v1.CheatCards;
import org.cheatarena.v1.CheatCut;
import org.cheatarena.v1.CheatHand;
import org.cheatarena.v1.CheatRuleset;
import org.cheatarena.v1.CheatTurn;
import org.cheatarena.v1.Event;
import org.junit.jupiter.api.Test;

class CheatTest {
    private static ByteString bytes(int... cards) {
        var bytes = ByteString.newOutput();
        for (var card : cards) {
            bytes.write(card);
        }
        return bytes.toByteString();
    }

    private static Cheat withHand(int... cards) {
        var game = new Cheat(CheatRuleset.newBuilder().setJokersPerDeck(2).build(), 4);
        var hand = CheatHand.newBuilder().setCards(CheatCards.newBuilder().setCards(bytes(cards)));
        game.learn(Event.newBuilder().setCheatHand(hand).build());
        return game;
    }

    private static CheatTurn.Builder turn(int most, int... ranks) {
        return CheatTurn.newBuilder().setRanks(bytes(ranks)).addCounts(1).addCounts(most);
    }

    @Test
    void bothFormsOfCardsAreRead() {
        var cards = CheatCards.newBuilder().setCards(bytes(0, 52)).addAllCounted(List.of(4, 3, 52, 1));
        var expected = new int[53];
        expected[0] = 1;
        expected[4] = 3;
        expected[52] = 2;
        assertArrayEquals(expected, Cheat.read(cards.build()));
    }

    @Test
    void theLargestTruePlayHasFewJokers() {
        var action = withHand(0, 4, 5, 12, 52).turn(turn(2, 0, 1, 2).build());
        assertEquals(bytes(4, 5), action.getCards());
        assertEquals(1, action.getRank());
        assertEquals(2, action.getCount());
    }

    @Test
    void aJokerLiesOpenOnlyWithItsRank() {
        var turn = turn(4, 3).setFaceUp(true).setCanPass(true).build();
        assertEquals(
                CheatActionKind.CHEAT_ACTION_KIND_PASS,
                withHand(0, 52).turn(turn).getKind());
        assertEquals(bytes(12, 52), withHand(12, 52).turn(turn).getCards());
        assertEquals(bytes(52), withHand(52).turn(turn).getCards());
    }

    @Test
    void theSmallestLieKeepsSets() {
        assertEquals(bytes(20), withHand(0, 1, 20).turn(turn(6, 8, 9).build()).getCards());
    }

    @Test
    void itCallsOnlyWhatCannotBeTrue() {
        // two of the four aces and one of the two jokers are elsewhere: three cards can be true, four cannot
        var game = withHand(0, 1, 52, 8);
        assertFalse(game.isLie(new Cheat.Claim(0, 3, false)));
        assertTrue(game.isLie(new Cheat.Claim(0, 4, false)));
        assertFalse(game.isLie(new Cheat.Claim(0, 0, false)));
        assertTrue(game.isLie(new Cheat.Claim(0, 1, true)));
    }

    @Test
    void aCutUsesEveryCard() {
        var cut = CheatCut.newBuilder().setPacketCount(4).setCardCount(54).build();
        assertEquals(List.of(14, 14, 13, 13), Cheat.cutEvenly(cut).getSizesList());
    }
}
