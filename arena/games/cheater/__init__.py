"""All parts of CHEATER. `pack` names them."""
