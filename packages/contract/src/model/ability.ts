/** What a run has beside the server. */
export type Ability = 'fresh' | 'mailbox' | 'provider' | 'clock'
