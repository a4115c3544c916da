// Of this only the precompiled headers are used.
int main() {}
