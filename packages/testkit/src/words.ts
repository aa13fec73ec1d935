/** Words that the glossary of owner.md 6.2 replaces, with what is said instead; by language. */
const REPLACED: Readonly<Record<string, readonly (readonly [words: string, instead: string])[]>> = {
  en: [
    ['sign(?:s|ed|ing)?[ -]?(?:in|out)', 'log in, log out'],
    ['e-mail\\w*|mail(?:s|ed|ing)?', 'email'],
    ['two-factor|2fa', 'second step'],
    ['trusted (?:browser|device)s?', 'devices that skip the second step'],
    ['hints?', 'reminder'],
  ],
  fr: [
    ['mails?|courriels?|emails?', 'e-mail'],
    ['space', 'espace'],
    ['s’identifier|login', 'se connecter'],
    ['phrase de passe', 'phrase secrète'],
    ['passkeys?', 'clé d’accès'],
    ['codes? de récupération', 'code de secours'],
    ['se désinscrire', 'se désabonner'],
    ['tu|toi|ton|tes', 'vous'],
  ],
  de: [
    ['space', 'Bereich'],
    ['mails?|gemailt', 'E-Mail'],
    ['login|(?:ein|aus)(?:ge)?logg\\w+', 'anmelden, abmelden'],
    ['gedächtnisstützen?', 'Merkhilfe'],
    ['kennw(?:ort|örter)\\w*', 'Passphrase'],
    ['freiwillig', 'optional'],
    ['zeigen(?=$)', 'anzeigen'],
    ['zug(?:ang|änge)\\w*', 'Zugriff'],
    ['du|dich|dir|dein\\w*', 'Sie'],
  ],
  es: [
    ['e-?mails?|mails?', 'correo'],
    ['space', 'espacio'],
    ['login', 'inicio de sesión'],
    ['enlaces? de acceso', 'enlace de inicio de sesión'],
    ['claves? de acceso|passkeys?', 'llave de acceso'],
    ['frase de (?:paso|contraseña)', 'frase secreta'],
    ['pistas?', 'recordatorio'],
    ['tú|tus?|contigo', 'usted'],
  ],
}

/** Names of the interface: no owner should have to read one. */
const RAW_NAME = /\bio\.svc\b/u

/** Where a button has its verb: last in German, first elsewhere. */
const VERB: Readonly<Record<string, RegExp>> = {
  en: /^(?:accept|add|allow|archive|ask|block|cancel|change|check|choose|close|confirm|connect|continue|copy|create|decline|delete|don’t|download|email|empty|find|forget|get|go|hide|leave|let|load|log|make|manage|mark|move|open|put|raise|read|reconnect|remind|remove|rename|renew|replace|require|resend|review|save|see|send|set|share|show|start|stop|take|tick|try|turn|undo|unsubscribe|untick|use)\b/iu,
  fr: /^(?:ne (?:pas|plus) |tout )?(?:en |la |le |les |me |se |l’|m’|s’)?\p{L}+(?:er|ir|re)(?!\p{L})/iu,
  de: /\p{L}(?:e[lr]?n|tun)$/u,
  es: /^(?:no )?\p{L}*[aeií]r(?:l[aeo]s?|me|se)?(?!\p{L})/iu,
}

const MAX_WORDS = 20

/** Words of a text that the glossary has other ones for, and names of the interface. */
export function wordFaults(locale: string, text: string): readonly string[] {
  const faults = (REPLACED[locale] ?? []).flatMap(([words, instead]) => {
    const found = new RegExp(`(?<![\\p{L}\\p{N}-])(?:${words})(?![\\p{L}\\p{N}])`, 'iu').exec(text)
    return found === null ? [] : [`“${found[0]}”: say ${instead}`]
  })
  return RAW_NAME.test(text) ? [...faults, 'a raw name: say it in words'] : faults
}

/** Sentences that are too long to be read in passing. */
export function longSentences(text: string): readonly string[] {
  return text
    .split(/(?<=[.?!…])\s+/u)
    .filter((sentence) => sentence.split(/\s+/u).filter(isWord).length > MAX_WORDS)
}

/** Whether the text of a button says what it does. */
export function hasVerb(locale: string, text: string): boolean {
  return VERB[locale]?.test(text) ?? true
}

function isWord(part: string): boolean {
  return /[\p{L}\p{N}{]/u.test(part)
}
