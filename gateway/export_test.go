package gateway

// OpenSlotsEach is how many callbacks of one address are worked on at a time.
const OpenSlotsEach = openSlotsEach
