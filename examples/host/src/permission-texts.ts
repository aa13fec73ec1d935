import type { PermissionTexts } from '@svc/auth-ui'

/**
 * What access to the kinds of data of this host means, in the words of its owners. Kinds that are not here have the
 * words of the package.
 */
export function permissionTexts(namespace: string): PermissionTexts {
  return { [`${namespace}.contacts`]: CONTACTS, [`${namespace}.notes`]: NOTES }
}

const CONTACTS: PermissionTexts[string] = {
  en: {
    name: 'Contacts',
    read: 'See the people you know, their addresses and numbers',
    add: 'Add people',
    change: 'Change what is noted about them',
    delete: 'Delete people',
  },
  fr: {
    name: 'Contacts',
    read: 'Voir les personnes que vous connaissez, leurs adresses et numéros',
    add: 'Ajouter des personnes',
    change: 'Modifier ce qui est noté à leur sujet',
    delete: 'Supprimer des personnes',
  },
  de: {
    name: 'Kontakte',
    read: 'Sehen, wen Sie kennen, mit Adressen und Nummern',
    add: 'Personen hinzufügen',
    change: 'Ändern, was über sie notiert ist',
    delete: 'Personen löschen',
  },
  es: {
    name: 'Contactos',
    read: 'Ver a las personas que conoce, sus direcciones y números',
    add: 'Añadir personas',
    change: 'Modificar lo anotado sobre ellas',
    delete: 'Eliminar personas',
  },
}

const NOTES: PermissionTexts[string] = {
  en: {
    name: 'Notes',
    read: 'Read your notes',
    add: 'Write new notes',
    change: 'Rewrite your notes',
    delete: 'Delete notes',
  },
  fr: {
    name: 'Notes',
    read: 'Lire vos notes',
    add: 'Écrire de nouvelles notes',
    change: 'Réécrire vos notes',
    delete: 'Supprimer des notes',
  },
  de: {
    name: 'Notizen',
    read: 'Ihre Notizen lesen',
    add: 'Neue Notizen schreiben',
    change: 'Ihre Notizen umschreiben',
    delete: 'Notizen löschen',
  },
  es: {
    name: 'Notas',
    read: 'Leer sus notas',
    add: 'Escribir notas nuevas',
    change: 'Reescribir sus notas',
    delete: 'Eliminar notas',
  },
}
