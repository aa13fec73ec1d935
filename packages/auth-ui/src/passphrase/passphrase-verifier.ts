/** Verifies hashes of another program that the package does not know, for owners who are imported. */
export interface PassphraseVerifier {
  /**
   * Takes the hash apart: undefined when it is not of this form. Pure, at most 1 ms. It is asked at the import, where it
   * throws for a hash whose check would cost too much, and again at the login.
   * @throws TypeError saying in one sentence why the hash is refused, without quoting it
   */
  parse(hash: string): object | undefined
  /** Whether the secret is the hash's; outside the event loop, and as long for a wrong one as for the right one. */
  verify(hash: string, secret: string): Promise<boolean>
}
