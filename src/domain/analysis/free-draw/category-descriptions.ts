/** Long descriptions by type id: what to look for, and what it is mistaken for. */
export const CATEGORY_DESCRIPTIONS: Readonly<Record<string, string>> = {
  reef_hardcoral_branching:
    'Its colonies grow in branches that are longer than they are thick: staghorns, bushes, bottle brushes, fingers. Look for gaps of shadow between the branches. Paint the colony with its gaps, as one area.',
  reef_hardcoral_plating:
    'Its colonies grow flat and wide, as tables on one foot, as plates above each other or as whorls. Look for a thin rim and for shadow below it. A crust that only lifts its rim is other hard coral.',
  reef_hardcoral_boulder:
    'Its colonies are domes, lumps or pillars about as high as they are wide, often round and smooth from afar. Rock boulders look similar: coral has an even colour and a fine pattern of polyps.',
  reef_hardcoral_other:
    'Hard coral that is not branching, flat or a dome: crusts, columns, loose mushrooms, leaves. If it is surely hard coral but you cannot name its shape, it belongs here.',
  reef_softcoral:
    'It has no skeleton of stone and moves with the water. Leathers, fleshy lobes, spaghetti and small fans belong here. From afar it looks dull, rounded or woolly; its edge is never sharp.',
  reef_structure_rubble:
    'Broken pieces of coral, loose and mostly about a finger long, grey or grown over. One large broken plate is still plating coral, dead.',
  reef_structure_algae:
    'Turf that makes rock look furry, leaves, and mats. A thin film on dead coral is still dead coral; paint algae where they hide what is below.',
  reef_structure_anemone:
    'A disc with soft tentacles that sits in the reef. Fish among the tentacles give it away. One alone on sand belongs to wildlife.',
  reef_structure_seafan:
    'A net in one plane on one stem, across the current. It is large and stiff; soft coral is fleshy.',
  reef_structure_substrate:
    'Rock and old reef on which nothing grows that you could name. Dead coral whose shape can still be seen belongs to that coral, dead.',
  reef_structure_other:
    'Sponges, sea squirts, ropes, and anything else that grows on the reef or was left there for good.',
  reef_unsure:
    'You can see that it is coral, but not which. That is worth more than a guess: someone else looks at it again.',
  reef_lowvis: 'Reef that is too dark, too far away or too blurred to name. Use it for reef in the distance.',
  background_water:
    'Open water, and shadow in which nothing can be seen. It is the usual choice for Fill rest once the reef is painted.',
  background_substrate:
    'Sand, silt and mud. Sand with broken coral on it is rubble where the pieces are close together.',
  background_lowvis: 'Anything behind the reef that cannot be made out.',
  background_object: 'Things made by people: tape, quadrat, camera gear, anchor, litter.',
  wildlife_shark: 'Sharks and rays, whole or in part. Paint the animal, not its shadow.',
  wildlife_turtle: 'Turtles, whole or in part.',
  wildlife_giantclam: 'Two wavy shells with a bright mantle between, mostly set into the reef.',
  wildlife_anemone: 'A single anemone on sand or on a wall.',
  wildlife_fish: 'Any fish but sharks and rays. Paint a school as one area.',
  wildlife_person: 'A diver, or a hand or fin of one.',
  wildlife_other: 'Starfish, snails, worms, crabs, urchins and all others.',
  monument_boulder:
    'One dome that is larger than a person: such colonies are centuries old, and scientists look for them.',
  monument_table: 'One table that is wider than a person is tall.',
  monument_other: 'Any other single colony that its reef would be known by.',
};
