/** Variables of the environment, which the program reads and nothing else does. */
export type Environment = Readonly<Record<string, string | undefined>>
