"""All parts of Cheat. `pack` names them."""
