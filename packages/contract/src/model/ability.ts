/** What a run has beside the server. */
export type Ability = 'passphrase' | 'fresh' | 'mailbox' | 'provider' | 'clock'
