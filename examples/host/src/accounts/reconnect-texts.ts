/** What an owner is told of an account that works no longer. */
export interface ReconnectTexts {
  readonly title: (name: string) => string
  readonly message: string
}

const TEXTS: Readonly<Record<string, ReconnectTexts>> = {
  en: {
    title: (name) => `${name} has to be connected again`,
    message: 'Your space has no access to it any more. Connect it again in the settings.',
  },
  fr: {
    title: (name) => `${name} est à reconnecter`,
    message: 'Votre espace n’y a plus accès. Reconnectez-le dans les réglages.',
  },
  de: {
    title: (name) => `${name} muss neu verbunden werden`,
    message: 'Ihr Space hat keinen Zugriff mehr darauf. Verbinden Sie es in den Einstellungen neu.',
  },
  es: {
    title: (name) => `Hay que volver a conectar ${name}`,
    message: 'Su espacio ya no tiene acceso. Vuelva a conectarlo en los ajustes.',
  },
}

/** In the language of the instance; English for one without texts. */
export function reconnectTexts(locale: string): ReconnectTexts {
  const language = locale.split(/[-_]/)[0]?.toLowerCase() ?? ''
  const own = Object.hasOwn(TEXTS, language) ? TEXTS[language] : undefined
  return own ?? (TEXTS['en'] as ReconnectTexts) // in the table
}
