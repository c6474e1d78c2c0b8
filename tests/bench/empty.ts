/** A program that does nothing: what a start costs that does nothing else. */
