import { createInterface } from 'node:readline'

// Answers the questions of a run as a program of `--driver command:` does.
const asked = createInterface({ input: process.stdin })
for await (const line of asked) {
  const { do: what, url } = JSON.parse(line) as { do: string; url: string } // a question of the run
  const answers: Readonly<Record<string, unknown>> = {
    login: { cookies: [`sessid=${process.env['CONTRACT_OWNER_PASSPHRASE'] ?? ''}; Path=/`] },
    consent: { location: `https://client.contract.example/callback?code=${url.length}` },
    confirm: { error: 'there is no page that confirms' },
    appToken: { token: 'token of the page' },
  }
  process.stdout.write(`${JSON.stringify(answers[what])}\n`)
}
